// Classes that are made, run and unloaded, so that others get their memory: a, b and c of one class are on the stack
// together, and have its number in their names.
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;

public class Churn {
  static volatile long sum;

  // Its names have five digits, in which each copy has another number.
  public static class Made00000 {
    public static long a_00000(int n) {
      return b_00000(n) + 1;
    }

    static long b_00000(int n) {
      return c_00000(n) + 1;
    }

    static long c_00000(int n) {
      long total = 0;
      for (long i = 0; i < n; i++) total += i * i % 7;
      return total;
    }
  }

  static class Loader extends ClassLoader {
    Class<?> make(byte[] code) {
      return defineClass(null, code, 0, code.length);
    }
  }

  static byte[] codeOf(Class<?> known) throws Exception {
    final ByteArrayOutputStream code = new ByteArrayOutputStream();
    try (InputStream in = known.getResourceAsStream(known.getName() + ".class")) {
      for (int one = in.read(); one >= 0; one = in.read()) code.write(one);
    }
    return code.toByteArray();
  }

  static byte[] numbered(byte[] code, String number) throws Exception {
    // Each byte is a character here, so that the text can be replaced.
    return new String(code, "ISO-8859-1").replace("00000", number).getBytes("ISO-8859-1");
  }

  public static void main(String[] arguments) throws Exception {
    final byte[] code = codeOf(Made00000.class);
    final int rounds = Integer.parseInt(arguments[0]);
    for (int number = 1;; number++) {
      final String digits = String.format("%05d", number % 100000);
      final Method method = new Loader().make(numbered(code, digits)).getMethod("a_" + digits, int.class);
      for (int i = 0; i < rounds; i++) sum += (Long) method.invoke(null, 3000);
      if (number % 50 == 0) System.gc();
    }
  }
}
