// Threads that do what events count, each in a method of its own. Methods that call in turn stay what they are also where a
// compiler puts them into each other.
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

public class Events {
  static final ReentrantLock lock = new ReentrantLock();
  static final Object monitor = new Object();
  static ByteBuffer[] kept = new ByteBuffer[64];
  static volatile long sum;

  static void hold() throws InterruptedException {
    Thread.sleep(1);
  }

  static void takeLock() throws InterruptedException {
    lock.lock();
    try {
      hold();
    } finally {
      lock.unlock();
    }
  }

  static void enterMonitor() throws InterruptedException {
    synchronized (monitor) {
      hold();
    }
  }

  static void allocate() throws InterruptedException {
    for (int i = 0; i < kept.length; ++i) kept[i] = ByteBuffer.allocateDirect(4096);
    Thread.sleep(1);
  }

  static void compute() {
    for (long i = 0; i < 1000000; ++i) sum += i * i % 7;
  }

  interface Step {
    void take() throws InterruptedException;
  }

  static void start(String name, Step step) {
    new Thread(() -> {
      try {
        for (;;) step.take();
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }, name).start();
  }

  public static void main(String[] arguments) {
    for (int i = 0; i < 2; ++i) {
      start("locker-" + i, Events::takeLock);
      start("enterer-" + i, Events::enterMonitor);
    }
    start("allocator", Events::allocate);
    start("computer", Events::compute);
  }
}
