// A virtual thread with eleven frames of deep(), a frame of leaf() and one of burn(). With an argument it rests now and
// then, and what it has called before that stays in the heap until its callees return. Runs on any version, and works
// since 21.
public class Virtual {
  static volatile long sum;

  static void burn() {
    final long end = System.nanoTime() + 3_000_000;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 2000; i++) sum += i * i % 7;
    }
  }

  static void leaf(boolean rests) {
    for (;;) {
      try {
        if (rests) Thread.sleep(1);
      } catch (InterruptedException error) {
        return;
      }
      burn();
    }
  }

  static void deep(int left, boolean rests) {
    if (left > 0) {
      deep(left - 1, rests);
    } else {
      leaf(rests);
    }
    sum++;
  }

  public static void main(String[] arguments) throws Exception {
    final boolean rests = arguments.length > 0;
    final Runnable work = () -> deep(10, rests);
    ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)).join();
  }
}
