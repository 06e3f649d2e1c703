// Takes a picture of a page: node shoot.js URL FILE [dark]. For scripts/pictures.
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
    // A picture is taken whole, down to its root.
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
