// ripple's OSC 633 integration for jdb, JDK 11 and later, started as `java THIS`.
//
// Runs the JDK's own jdb with streams of this program. jdb prints its prompt in four places of its code that look the
// same in the output, and only one of them means that a command has ended. The caller on the stack shows which it is.

import com.sun.tools.example.debug.tty.TTY;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static java.nio.charset.StandardCharsets.UTF_8;

class Integration {
    static final String KEY = ";{nonce}\007";
    static final String JDB = "com.sun.tools.example.debug.tty.";
    static final Pattern EXPRESSION = Pattern.compile("\\s*((monitor|\\d+)\\s+)*(print|dump|eval|set)\\s", Pattern.CASE_INSENSITIVE);
    static final Terminal terminal = new Terminal();

    static boolean starting; // the first prompt comes before the debugged program is there
    static volatile boolean refused; // cont or step, with nothing to go on

    static String sign(String code) {
        return "\033]633;" + code + KEY;
    }

    static boolean nothingSuspended() {
        try {
            Method current = Class.forName(JDB + "ThreadInfo").getDeclaredMethod("getCurrentThreadInfo");
            current.setAccessible(true);
            return current.invoke(null) == null;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    static class Terminal extends PrintStream {
        Terminal() {
            super(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), true, UTF_8);
        }

        @Override
        public void print(String text) {
            if (text.endsWith("> ") || text.endsWith("] ")) {
                List<String> callers = StackWalker.getInstance().walk(frames -> frames
                    .filter(frame -> frame.getClassName().startsWith(JDB))
                    .map(StackWalker.StackFrame::getMethodName)
                    .collect(Collectors.toList()));
                if (callers.size() > 1 && callers.get(0).equals("printPrompt")) {
                    prompt(text, callers.subList(1, callers.size()));
                    return;
                }
            }
            super.print(text);
        }

        void prompt(String text, List<String> callers) {
            if (callers.get(0).equals("executeCommand")) { // not by way of printPrompt(): the program is about to run
                refused = nothingSuspended();
                return;
            }
            boolean first = starting && callers.get(1).equals("<init>");
            if (first) starting = false;
            // Commands from a file, and those of `monitor`, have a prompt each.
            boolean within = callers.contains("readCommandFile")
                || callers.contains("vmInterrupted") && callers.contains("executeCommand");
            if (!first && !within) ended(text);
        }

        void ended(String prompt) {
            super.print(sign("D") + sign("A") + prompt + sign("B"));
            flush();
        }

        void start() {
            super.print(sign("C"));
            flush();
        }
    }

    static class Commands extends InputStream {
        final InputStream typed = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        byte[] line = {};
        int start;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (start == line.length && !next()) return -1;
            int n = Math.min(length, line.length - start);
            System.arraycopy(line, start, into, offset, n);
            start += n;
            return n;
        }

        // A line at a time, for the reader above reads ahead what it can get.
        @Override
        public int available() {
            return line.length - start;
        }

        boolean next() throws IOException {
            if (refused) { // jdb has said so and shows no prompt
                refused = false;
                terminal.ended("> ");
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            int c;
            do {
                c = typed.read();
                if (c >= 0) bytes.write(c);
            } while (c >= 0 && c != '\n');
            if (bytes.size() == 0) return false;
            terminal.start();
            line = escape(bytes.toString(UTF_8)).getBytes(UTF_8);
            start = 0;
            return true;
        }

        // jdb's expressions take the lowest eight bits of a character, and have these escapes for all others.
        String escape(String text) {
            if (!EXPRESSION.matcher(text).lookingAt()) return text;
            StringBuilder b = new StringBuilder(text.length());
            for (char c : text.toCharArray()) b.append(c < 128 ? String.valueOf(c) : String.format("\\u%04x", (int) c));
            return b.toString();
        }
    }

    public static void main(String[] args) throws Exception {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        starting = all.stream().noneMatch(a -> a.matches("-(attach|listen|listenany|connect)"));
        if (starting) all.add(0, "-launch");
        System.setIn(new Commands());
        System.setOut(terminal);
        TTY.main(all.toArray(new String[0]));
    }
}
