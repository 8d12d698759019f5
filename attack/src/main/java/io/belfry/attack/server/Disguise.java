package io.belfry.attack.server;

import io.belfry.attack.wire.Certificates;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The operator's configuration with everything that would reach beyond this run replaced: listeners go to free ports of
 * loopback, folders to a temporary one, secrets to throw-away ones. Immutable.
 *
 * @param plainPort 0 = there is no plain listener
 * @param encryptedPort 0 = there is none
 * @param token lets publish; null: none is needed
 * @param environment variables of the server's processes; secrets stand here and in no list of processes
 */
record Disguise(
        int plainPort,
        int encryptedPort,
        @Nullable String token,
        List<String> arguments,
        Map<String, String> environment) {
    /** The heap is there from the start: what the server's memory grows by is then what lies outside of it. */
    private static final String JVM_OPTIONS = "-XX:+AlwaysPreTouch";

    static Disguise of(Order order, Path folder) throws IOException {
        Settings settings = Settings.read(TargetKey.all(), order.file(), System.getenv(), order.sets());
        return new Making(order, folder, settings).disguise();
    }

    /** Owner: the call of {@link #of}. */
    private static final class Making {
        private final Order order;
        private final Path folder;
        private final Settings settings;
        private final Map<String, String> replaced = new LinkedHashMap<>();
        private final Map<String, String> environment = new HashMap<>();

        Making(Order order, Path folder, Settings settings) {
            this.order = order;
            this.folder = folder;
            this.settings = settings;
        }

        Disguise disguise() throws IOException {
            int plain = listener(TargetKey.LISTEN);
            int encrypted = listener(TargetKey.LISTEN_ENCRYPTED);
            if (encrypted > 0) {
                certificate();
            }
            openDoors();
            replaced.put("Monitor", "HTTP");
            replaced.put("MonitorHTTP.Listen", "127.0.0.1:0");
            replaced.put("MonitorHTTP.Authentication", "false");
            replaced.put("LogFolder", folder.resolve("logs").toString());
            replaced.put("History.Folder", folder.resolve("data").toString());
            environment.put("BELFRY_RUN_FOLDER", folder.resolve("run").toString());
            environment.put(
                    "BELFRY_JAVA_OPTIONS",
                    (System.getenv().getOrDefault("BELFRY_JAVA_OPTIONS", "") + " " + JVM_OPTIONS).strip());
            String token = token();
            return new Disguise(plain, encrypted, token, arguments(), Map.copyOf(environment));
        }

        private int listener(TargetKey key) throws IOException {
            String text = settings.text(key).orElse("none");
            if (text.equals("none")) {
                return 0;
            }
            int port = freePort();
            replaced.put(key.keyName(), "127.0.0.1:" + port);
            return port;
        }

        private static int freePort() throws IOException {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        }

        /** Where the configuration names none, one is made for this run. */
        private void certificate() throws IOException {
            if (settings.text(TargetKey.CERTIFICATE).isEmpty()
                    && settings.text(TargetKey.KEY_STORE).isEmpty()) {
                Path store = folder.resolve("throw-away.p12");
                String password = UUID.randomUUID().toString();
                Certificates.create(store, password);
                replaced.put("KeyStore", store.toString());
                environment.put("BELFRY_KEYSTOREPASSWORD", password);
            }
        }

        /** What would keep the witness out, who has no certificate and comes through no proxy. */
        private void openDoors() {
            if (settings.flag(TargetKey.PROXY_PROTOCOL)) {
                replaced.put(TargetKey.PROXY_PROTOCOL.keyName(), "false");
            }
            if (settings.text(TargetKey.CLIENT_CERTIFICATES).orElse("").equalsIgnoreCase("need")) {
                replaced.put(TargetKey.CLIENT_CERTIFICATES.keyName(), "want");
            }
        }

        /** A token of the operator's is a secret that has no business here: the server gets another. */
        private @Nullable String token() {
            String kind = settings.text(TargetKey.ENTITLEMENT).orElse("").toLowerCase(Locale.ROOT);
            boolean written = settings.text(TargetKey.ALLOW_TOKEN).isPresent()
                    || settings.text(TargetKey.ALLOW_TOKEN_FILE).isPresent();
            if (kind.equals("basic") && written) {
                String token = UUID.randomUUID().toString();
                environment.put("BELFRY_ENTITLEMENTALLOWTOKEN", token);
                // A key that is empty is not set: the two do not go together.
                replaced.put(TargetKey.ALLOW_TOKEN_FILE.keyName(), "");
                return token;
            }
            if (!kind.equals("basic") && !kind.equals("none") && order.token() == null) {
                throw new IllegalArgumentException(
                        "Entitlement = " + kind
                                + " makes its tokens elsewhere: give one that may do everything below /attack with --token-file");
            }
            return kind.equals("none") || kind.equals("basic") ? null : order.token();
        }

        private List<String> arguments() {
            List<String> arguments = new ArrayList<>();
            order.file().ifPresent(file -> arguments.addAll(List.of("-c", file.toString())));
            order.sets().stream()
                    .filter(set -> !isReplaced(set))
                    .forEach(set -> arguments.addAll(List.of("--set", set)));
            replaced.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
            return List.copyOf(arguments);
        }

        private boolean isReplaced(String set) {
            String name = set.replaceFirst("\\s*=.*", "").strip();
            return replaced.keySet().stream().anyMatch(name::equalsIgnoreCase)
                    || environment.containsKey("BELFRY_" + name.toUpperCase(Locale.ROOT));
        }
    }
}
