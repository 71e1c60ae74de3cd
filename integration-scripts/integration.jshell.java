// ripple's OSC 633 integration for jshell, JDK 17 and later, started as `java THIS`.
//
// Runs the JDK's own jshell tool from its public builder with streams of this program. The tool's line editor gets its
// lines from here; its prompts and echo show when it expects the next one. So the terminal shows only the output of the
// program and of the tool. Standard input is read only on demand.

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jshell.execution.RemoteExecutionControl;
import jdk.jshell.execution.Util;
import jdk.jshell.tool.JavaShellToolBuilder;
import jdk.net.ExtendedSocketOptions;

import static java.nio.charset.StandardCharsets.UTF_8;

class Integration {
    static final String KEY = ";{nonce}\007";
    static final Pattern ERROR = Pattern.compile("\\|  (Error:|Exception |Invalid command)");
    static final PrintStream terminal = System.out;
    static final Object lock = new Object();

    // All of this is guarded by the lock.
    static final Deque<byte[]> lines = new ArrayDeque<>(); // what is left of a block, to be fed line by line
    static final Typed typed = new Typed();
    static byte[] feed = {}; // goes to the tool's editor
    static int fed;
    static boolean atPrompt; // the editor wants a line
    static boolean running; // a command has begun
    static boolean interrupted;
    static boolean stopped; // the tool has been told
    static boolean ran; // its end is to be announced
    static int status;

    static String sign(String code) {
        return "\033]633;" + code + KEY;
    }

    // Input typed at the terminal. It is read by a separate thread, so that an interrupt can end a wait for it.
    static class Typed {
        byte[] bytes = new byte[1 << 16];
        int start, end;
        boolean wanted, closed;

        void read() {
            byte[] chunk = new byte[1 << 16];
            try {
                for (;;) {
                    synchronized (lock) {
                        while (!wanted) lock.wait();
                    }
                    int n = System.in.read(chunk);
                    synchronized (lock) {
                        wanted = false;
                        if (n < 0) {
                            closed = true;
                            lock.notifyAll();
                            return;
                        }
                        if (end + n > bytes.length) {
                            byte[] larger = new byte[2 * (end - start + n)];
                            System.arraycopy(bytes, start, larger, 0, end - start);
                            bytes = larger;
                            end -= start;
                            start = 0;
                        }
                        System.arraycopy(chunk, 0, bytes, end, n);
                        end += n;
                        lock.notifyAll();
                    }
                }
            } catch (IOException | InterruptedException e) {
                System.exit(1);
            }
        }

        void more() throws InterruptedException {
            wanted = true;
            lock.notifyAll();
            lock.wait();
        }

        // The next line without its end; null: not there yet.
        byte[] line() {
            for (int i = start; i < end; i++) {
                if (bytes[i] != '\n' && bytes[i] != '\r') continue;
                byte[] line = Arrays.copyOfRange(bytes, start, i);
                start = i + 1;
                return line;
            }
            return null;
        }
    }

    // What the tool's editor reads.
    static class Commands extends InputStream {
        @Override
        public int read() throws IOException {
            synchronized (lock) {
                try {
                    while (fed == feed.length) {
                        if (interrupted && atPrompt) {
                            interrupted = atPrompt = false;
                            Screen.drawn.reset();
                            return 3; // the editor drops its line
                        }
                        if (interrupted && !stopped) {
                            stopped = true;
                            return 3; // the tool stops the code
                        }
                        if (interrupted) { // a stop is lost while a snippet is still being compiled: once more
                            lock.wait(50);
                            stopped = false;
                            continue;
                        }
                        if (!atPrompt) lock.wait();
                        else if (!lines.isEmpty()) submit(lines.remove());
                        else if (!next()) return -1;
                    }
                    return feed[fed++] & 255;
                } catch (InterruptedException e) {
                    return -1;
                }
            }
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int c = read();
            if (c < 0) return -1;
            into[offset] = (byte) c;
            return 1;
        }

        boolean next() throws IOException, InterruptedException {
            byte[] line = typed.line();
            if (line == null) {
                if (typed.closed) return false;
                typed.more();
                return true;
            }
            for (String part : block(new String(line, UTF_8)).split("\n", -1)) lines.add(part.getBytes(UTF_8));
            if (!running) {
                status = 0;
                running = ran = true;
                terminal.print(sign("C"));
                terminal.flush();
            }
            return true;
        }

        // A block comes in a file, and `/open` is how the tool itself would take it, but then it shows no values.
        String block(String line) throws IOException {
            if (!line.startsWith("/open ") || !line.contains("/.ripple-exec-")) return line;
            return Files.readString(Path.of(line.substring(6))).stripTrailing();
        }

        void submit(byte[] line) {
            feed = Arrays.copyOf(line, line.length + 1);
            for (int i = 0; i < line.length; i++) {
                if (feed[i] >= 0 && feed[i] < ' ') feed[i] = ' '; // the editor would take it as a key
            }
            feed[line.length] = '\n';
            fed = 0;
            atPrompt = false;
            Screen.drawn.reset();
        }
    }

    // What the running code reads.
    static class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            synchronized (lock) {
                try {
                    while (typed.start == typed.end) {
                        if (typed.closed) return -1;
                        typed.more();
                    }
                } catch (InterruptedException e) {
                    return -1;
                }
                int n = Math.min(length, typed.end - typed.start);
                System.arraycopy(typed.bytes, typed.start, into, offset, n);
                typed.start += n;
                return n;
            }
        }
    }

    // What the editor draws. Once it was fed a whole line, that is the end of that line and then a prompt.
    static class Screen extends OutputStream {
        static final ByteArrayOutputStream drawn = new ByteArrayOutputStream();

        @Override
        public void write(int b) {
            synchronized (lock) {
                drawn.write(b);
            }
        }

        @Override
        public void flush() {
            synchronized (lock) {
                if (atPrompt || fed < feed.length) return;
                String all = drawn.toString(UTF_8);
                String prompt = all.substring(all.lastIndexOf('\n') + 1).replaceAll("[\b\r]| \b", "");
                if (prompt.isEmpty() || running && all.indexOf('\n') < 0) return;
                prompt(prompt, prompt.endsWith("...> ") || prompt.equals(">> "));
            }
        }

        void prompt(String text, boolean more) {
            atPrompt = true;
            if (lines.isEmpty() && more) {
                terminal.print(sign("F") + text + sign("G"));
            } else if (lines.isEmpty()) {
                running = interrupted = false;
                terminal.print((ran ? sign("D;" + status) : "") + sign("A") + text + sign("B"));
                ran = false;
            }
            terminal.flush();
            lock.notifyAll();
        }
    }

    // What the tool says. It is not what the code prints, so an error in it is one.
    static class Feedback extends OutputStream {
        static final StringBuilder said = new StringBuilder(); // of the line that is being written, its first bytes

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            terminal.write(bytes, offset, length);
            synchronized (lock) {
                for (int i = offset; i < offset + length; i++) {
                    if (bytes[i] == '\n') said.setLength(0);
                    else if (said.length() < 20) said.append((char) bytes[i]);
                    if (status == 0 && ERROR.matcher(said).lookingAt()) status = 1;
                }
            }
        }

        @Override
        public void flush() {
            terminal.flush();
        }
    }

    // Later tools have a console that only their own other end knows.
    static Stream<String> own() throws IOException {
        Path agent = agent();
        // Without a class path, classes of these names in the working directory would be loaded instead.
        Stream<String> deaf = Stream.of("-R-cp", "-R" + agent, "-R-javaagent:" + agent);
        return Runtime.version().feature() > 21 ? deaf : Stream.concat(deaf, Stream.of("--execution", "jdi:remoteAgent(Prompt)"));
    }

    static Path agent() throws IOException {
        Path path = Path.of("{temp_dir}", "deaf.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", "Deaf");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(path), manifest)) {
            for (String name : List.of("Deaf.class", "Prompt.class", "Prompt$Acknowledged.class")) {
                jar.putNextEntry(new JarEntry(name));
                try (InputStream in = Deaf.class.getClassLoader().getResourceAsStream(name)) {
                    in.transferTo(jar);
                }
            }
        }
        return path;
    }

    static void interrupt() {
        synchronized (lock) {
            if (!running) return;
            lines.clear();
            status = 130;
            interrupted = true;
            stopped = false;
            lock.notifyAll();
        }
    }

    public static void main(String[] args) throws Exception {
        Deaf.onInterrupt(Integration::interrupt);
        Thread reader = new Thread(typed::read);
        reader.setDaemon(true);
        reader.start();
        JavaShellToolBuilder.builder()
            .in(new Commands(), new Input())
            .out(new PrintStream(new Feedback(), true, UTF_8), new PrintStream(new Screen(), true, UTF_8), terminal)
            .persistence(new HashMap<>()) // a person's history stays as it is
            .locale(Locale.ENGLISH)
            .run(Stream.concat(Stream.of(args), own()).toArray(String[]::new));
        System.exit(0);
    }
}

// The code runs in a process of its own, which gets each interrupt as well and would die of it. It loads this as its
// agent: a handler that does nothing, and that its children do not inherit.
class Deaf {
    public static void premain(String argument) throws ReflectiveOperationException {
        onInterrupt(() -> {});
    }

    // By reflection, for the compiler warns of these classes.
    static void onInterrupt(Runnable action) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal"), handler = Class.forName("sun.misc.SignalHandler");
        Object proxy = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
            if (method.getName().equals("handle")) action.run();
            return null;
        });
        signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class).newInstance("INT"), proxy);
    }
}

// The other end of the tool's connection to the code's JVM. Both write a message in several pieces, and TCP holds the
// second one back until the first was acknowledged, which takes 40 ms each time: a fifth of a second for every
// snippet. This end acknowledges at once what it reads and holds nothing back that it writes.
class Prompt extends RemoteExecutionControl {
    public static void main(String[] args) throws Exception {
        // Since the updates of 2026 the argument is -1, and standard input has the port and then
        // the secret that this side must send.
        int port = Integer.parseInt(args[0]);
        byte[] proof = {};
        if (port == -1) {
            port = Integer.parseInt(told());
            proof = Base64.getDecoder().decode(told());
        }
        Socket socket = new Socket((String) null, port);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(proof);
        Map<String, Consumer<OutputStream>> outputs = new HashMap<>();
        outputs.put("out", to -> System.setOut(new PrintStream(to, true)));
        outputs.put("err", to -> System.setErr(new PrintStream(to, true)));
        Map<String, Consumer<InputStream>> inputs = Map.of("in", System::setIn);
        Util.forwardExecutionControlAndIO(new Prompt(), new Acknowledged(socket), socket.getOutputStream(), outputs, inputs);
    }

    // Returns a line of standard input and leaves the rest unread.
    static String told() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c; (c = System.in.read()) >= 0 && c != '\n'; ) line.append((char) c);
        return line.toString().strip();
    }

    // To stop the code the tool looks for these two in the stack, by this class.
    @Override
    public String invoke(String type, String method) throws RunException, EngineTerminationException, InternalException {
        return super.invoke(type, method);
    }

    @Override
    public String varValue(String type, String name) throws RunException, EngineTerminationException, InternalException {
        return super.varValue(type, name);
    }

    static class Acknowledged extends FilterInputStream {
        final Socket socket;

        Acknowledged(Socket socket) throws IOException {
            super(socket.getInputStream());
            this.socket = socket;
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            acknowledge();
            return b;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int n = super.read(into, offset, length);
            acknowledge();
            return n;
        }

        // The kernel forgets it with the next answer.
        void acknowledge() throws IOException {
            if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_QUICKACK)) {
                socket.setOption(ExtendedSocketOptions.TCP_QUICKACK, true);
            }
        }
    }
}
