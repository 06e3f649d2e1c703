// Takes a screenshot of a page for scripts/pictures: node shoot.js URL FILE [dark].
'use strict';

const {chromium} = require('playwright-core');

async function shoot(url, file, scheme) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage({viewport: {width: 1280, height: 720}, colorScheme: scheme});
    await page.goto(url);
    await page.waitForTimeout(1500);
    // Makes the graph fit, down to its root.
    const height = await page.evaluate(() => {
      const root = document.documentElement;
      return root.nodeName === 'svg' ? Math.ceil(root.getBoundingClientRect().height) : 0;
    });
    if (height !== 0) await page.setViewportSize({width: 1280, height});
    await page.screenshot({path: file});
  } finally {
    await browser.close();
  }
}

const [url, file, scheme] = process.argv.slice(2);
shoot(url, file, scheme === 'dark' ? 'dark' : 'light').catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
