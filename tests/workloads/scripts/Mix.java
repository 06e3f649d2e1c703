// A chain of functions in which each is named for the way it is called: check_mix.py knows it. A compiler puts some of them
// into their callers.
import java.lang.reflect.Method;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.Callable;

public class Mix {
  static volatile long sum;

  interface Way {
    long take(int left) throws Exception;
  }

  static class Made {
    final long value;

    Made(int left) throws Exception {
      value = go(left);  // at Made.<init>
    }
  }

  static class Base {
    long work(int left) throws Exception {
      return go(left);  // at Base.work
    }

    synchronized long guarded(int left) throws Exception {
      return go(left);  // at Base.guarded
    }
  }

  static class Derived extends Base {
    @Override
    long work(int left) throws Exception {
      return super.work(left);  // at Derived.work
    }
  }

  static class Walked implements Iterable<Long> {
    final int left;

    Walked(int left) {
      this.left = left;
    }

    @Override
    public Iterator<Long> iterator() {
      return Collections.singletonList(quietly(left)).iterator();  // at Walked.iterator
    }
  }

  static class Thrown extends RuntimeException {}

  static long burn() {
    long total = 0;
    for (long i = 0; i < 4000; i++) total += i * i % 7;
    return total;
  }

  // For callers that may throw nothing.
  static long quietly(int left) {
    try {
      return go(left);  // at quietly
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  static long direct(int left) throws Exception {
    return go(left);  // at direct
  }

  static long byStream(int left) {
    return Arrays.asList(left).stream().mapToLong(one -> quietly(one)).sum();  // at byStream byStream:lambda
  }

  static long bySort(int left) {
    final Integer[] two = {2, 1};
    Arrays.sort(two, (a, b) -> {  // at bySort
      sum += quietly(left);  // at bySort:lambda
      return a - b;
    });
    return 0;
  }

  static long byEach(int left) {
    final long[] result = {0};
    Collections.singletonList(left).forEach(one -> result[0] = quietly(one));  // at byEach byEach:lambda
    return result[0];
  }

  static long byNew(int left) throws Exception {
    return new Made(left).value;  // at byNew
  }

  static long byReference(int left) throws Exception {
    final Way way = Mix::go;
    return way.take(left);  // at byReference
  }

  static long byReflection(int left) throws Exception {
    final Method method = Mix.class.getDeclaredMethod("go", int.class);
    return (Long) method.invoke(null, left);  // at byReflection
  }

  static long byException(int left) throws Exception {
    try {
      throw new Thrown();
    } catch (Thrown thrown) {
      return go(left);  // at byException
    }
  }

  static long bySuper(int left) throws Exception {
    return new Derived().work(left);  // at bySuper
  }

  static long byGuard(int left) throws Exception {
    return new Base().guarded(left);  // at byGuard
  }

  static long byIterator(int left) {
    long result = 0;
    for (final long one : new Walked(left)) result += one;  // at byIterator
    return result;
  }

  @SuppressWarnings("removal")
  static long byPrivilege(int left) {
    return AccessController.doPrivileged((PrivilegedAction<Long>) () -> quietly(left));  // at byPrivilege byPrivilege:lambda
  }

  static long byClass(int left) throws Exception {
    return new Callable<Long>() {
      @Override
      public Long call() throws Exception {
        return go(left);  // at 1.call
      }
    }.call();  // at byClass
  }

  static long byFinally(int left) throws Exception {
    long result = 0;
    try {
      result = 1;
    } finally {
      result += go(left);  // at byFinally
    }
    return result;
  }

  static long go(int left) throws Exception {
    if (left <= 0) return burn();  // at go:burn
    switch (left % 15) {
      case 1:
        return byStream(left - 1);  // at go:byStream
      case 2:
        return bySort(left - 1);  // at go:bySort
      case 3:
        return byEach(left - 1);  // at go:byEach
      case 4:
        return byNew(left - 1);  // at go:byNew
      case 5:
        return byReference(left - 1);  // at go:byReference
      case 6:
        return byReflection(left - 1);  // at go:byReflection
      case 7:
        return byException(left - 1);  // at go:byException
      case 8:
        return bySuper(left - 1);  // at go:bySuper
      case 9:
        return byGuard(left - 1);  // at go:byGuard
      case 10:
        return byIterator(left - 1);  // at go:byIterator
      case 11:
        return byPrivilege(left - 1);  // at go:byPrivilege
      case 12:
        return byClass(left - 1);  // at go:byClass
      case 13:
        return byFinally(left - 1);  // at go:byFinally
      default:
        return direct(left - 1);  // at go:direct
    }
  }

  public static void main(String[] arguments) throws Exception {
    final int depth = Integer.parseInt(arguments[0]);
    for (;;) sum += go(depth);  // at main
  }
}
