package io.belfry.clients.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The main class of the Java client's driver; see PROTOCOL.md. The option {@code --fault=NAME} makes it a negative
 * control. Owner: the main thread.
 */
public final class JavaDriver {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FAULT = "--fault=";

    private final ProtocolOutput out;
    private final Map<String, DriverClient> clients = new HashMap<>();

    private JavaDriver(ProtocolOutput out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        ProtocolOutput.Fault fault = args.length > 0 && args[0].startsWith(FAULT)
                ? ProtocolOutput.Fault.valueOf(args[0].substring(FAULT.length()).toUpperCase(Locale.ROOT))
                : ProtocolOutput.Fault.NONE;
        new JavaDriver(new ProtocolOutput(System.out, fault)).run();
    }

    private void run() throws IOException {
        hello();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode command = JSON.readTree(line);
            ObjectNode answer =
                    ProtocolOutput.line("answer").put("id", command.path("id").asLong());
            try {
                execute(command, answer);
            } catch (RuntimeException e) {
                answer.put("error", "failed").put("reason", String.valueOf(e.getMessage()));
            }
            out.write(answer);
        }
        clients.values().forEach(DriverClient::close);
    }

    private void hello() {
        ObjectNode hello = ProtocolOutput.line("hello")
                .put("driver", "java")
                .put("protocol", 1)
                .put("runtime", "Java " + Runtime.version());
        ArrayNode present = hello.putArray("capabilities");
        ObjectNode absent = hello.putObject("without");
        for (Capability each : Capability.values()) {
            if (each.isPresent()) {
                present.add(each.text());
            } else {
                absent.put(each.text(), each.whyNot());
            }
        }
        out.write(hello);
    }

    private void execute(JsonNode command, ObjectNode answer) {
        String op = command.path("op").asText();
        String name = command.path("client").asText();
        switch (op) {
            case "new" -> clients.put(name, new DriverClient(name, command, out));
            case "resources" -> resources(answer);
            default -> {
                DriverClient client = clients.get(name);
                if (client == null) {
                    answer.put("error", "no-client").put("reason", name);
                } else {
                    client.execute(op, command, answer);
                    if (op.equals("close")) {
                        clients.remove(name);
                    }
                }
            }
        }
    }

    private static void resources(ObjectNode answer) {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        answer.put("memoryBytes", heap + direct);
        answer.put("threads", Thread.getAllStackTraces().size());
    }
}
