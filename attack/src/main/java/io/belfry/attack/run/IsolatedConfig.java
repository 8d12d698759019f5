package io.belfry.attack.run;

import io.belfry.attack.attacks.EffectiveSettings;
import io.belfry.attack.attacks.SlowReceiver;
import io.belfry.attack.attacks.UserTokens;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operator's configuration with everything replaced that would reach beyond this run: one listener, the encrypted one
 * if there is one, uses a free port of loopback, folders are temporary, secrets are generated. Secrets are passed in the environment, because command lines are
 * visible to other users. Owner: the main thread.
 */
final class IsolatedConfig {
    /** Touches the whole heap at the start, so that later growth of the process is memory outside the heap. */
    private static final String JVM_OPTIONS = "-XX:+AlwaysPreTouch";

    /** The highest rate of a user that an attack exceeds several times without using up a small machine. */
    private static final int USER_RATE_MAX = 2000;

    private static final String FREE_PORT = "127.0.0.1:0";
    private static final String STORE_PASSWORD = "BELFRY_KEYSTOREPASSWORD";

    private final AttackOptions options;
    private final Path folder;
    private final Settings settings;
    private final Map<String, String> replaced = new LinkedHashMap<>();
    final Map<String, String> environment = new HashMap<>();
    private final boolean encrypted;
    final String apiKey = UUID.randomUUID().toString().replace("-", "");
    private final @Nullable String token;
    private @Nullable UserTokens users;
    private @Nullable SlowReceiver receiver;

    IsolatedConfig(AttackOptions options, Path folder) throws IOException {
        this.options = options;
        this.folder = folder;
        settings = Settings.read(TargetKey.ALL, options.file(), System.getenv(), options.sets());
        encrypted = hasListener(TargetKey.LISTEN_ENCRYPTED);
        if (encrypted) {
            certificate();
            replaced.put(TargetKey.LISTEN_ENCRYPTED.keyName(), FREE_PORT);
        }
        replaced.put(TargetKey.LISTEN.keyName(), encrypted || !hasListener(TargetKey.LISTEN) ? "none" : FREE_PORT);
        admitRegularClients();
        replaced.put("Monitor", "HTTP");
        replaced.put("MonitorHTTP.Listen", FREE_PORT);
        replaced.put("MonitorHTTP.Authentication", "false");
        openApi();
        connectToNoOther();
        replaced.put("LogFolder", folder.resolve("logs").toString());
        replaced.put("History.Folder", folder.resolve("data").toString());
        environment.put("BELFRY_RUN_FOLDER", folder.resolve("run").toString());
        String javaOptions = System.getenv().getOrDefault("BELFRY_JAVA_OPTIONS", "");
        environment.put("BELFRY_JAVA_OPTIONS", (javaOptions + " " + JVM_OPTIONS).strip());
        token = token();
    }

    private boolean hasListener(TargetKey key) {
        return !settings.text(key).orElse("none").equals("none");
    }

    /** Generates a certificate if the configuration names none. */
    private void certificate() throws IOException {
        if (settings.isWritten(TargetKey.CERTIFICATE) || settings.isWritten(TargetKey.KEY_STORE)) {
            return;
        }
        String store = folder.resolve("generated.p12").toString();
        replaced.put("KeyStore", store);
        environment.put(STORE_PASSWORD, UUID.randomUUID().toString());
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        // The compiler flag halves the run time of this short-lived JVM.
        String arguments = "-J-XX:TieredStopAtLevel=1 -genkeypair -storetype PKCS12 -storepass:env " + STORE_PASSWORD
                + " -alias attacked -keyalg EC -dname CN=127.0.0.1 -ext SAN=ip:127.0.0.1 -keystore";
        List<String> command = new ArrayList<>(List.of(arguments.split(" ", -1)));
        command.addFirst(keytool);
        command.addLast(store);
        Optional<String> failure = run(command, folder.resolve("keytool.out"));
        if (failure.isPresent()) {
            throw new IOException("keytool created no certificate: " + failure.get());
        }
    }

    /** Opens the server API with a key of its own, and names no other nodes. */
    private void openApi() throws IOException {
        Path keys = Files.writeString(folder.resolve("api-keys"), "attacker publish,read,act " + apiKey + "\n");
        replaced.put("Api.Listen", FREE_PORT);
        replaced.put("Api.KeyFile", keys.toString());
        replaced.put("Api.Nodes", "");
        replaced.put("Api.RevocationFile", "");
    }

    /** Keeps the attacked server from joining the operator's cluster and from sending to other programs of the operator. */
    private void connectToNoOther() {
        replaced.put("ClusterEngine", "none");
        replaced.put("Otlp.Endpoint", "");
        // A topic needs the cluster.
        replaced.put("Events.Topic", "");
        for (String name : settings.under(TargetKey.EVENT_ENDPOINTS).keySet()) {
            // An empty value counts as not set.
            replaced.put(TargetKey.EVENT_ENDPOINTS.keyName().replace("*", name), "");
        }
        if (asksForEvents() && !settings.isWritten(TargetKey.EVENT_SUBJECT)) {
            // The server refuses such an option without a receiver.
            replaced.put(TargetKey.EVENT_SUBJECT.keyName(), "all");
        }
    }

    /** Returns whether options of subjects ask for events. */
    boolean asksForEvents() {
        return settings.under(TargetKey.SUBJECTS).values().stream()
                .anyMatch(line -> line.toLowerCase(Locale.ROOT).contains(" events="));
    }

    /** Sends the events of subjects to a receiver of this run too, signed with a secret of the run. */
    void sendEventsTo(SlowReceiver other) {
        receiver = other;
        replaced.put(
                TargetKey.EVENT_ENDPOINTS.keyName().replace("*", "attack"), other.url() + " " + SlowReceiver.TYPES);
        replaced.put("Events.SecretFile", "");
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        environment.put("BELFRY_EVENTS_SECRET", "whsec_" + Base64.getEncoder().encodeToString(secret));
    }

    /** Changes what would reject the regular clients, which have no certificate and connect without a proxy. */
    private void admitRegularClients() {
        if (settings.flag(TargetKey.PROXY_PROTOCOL)) {
            replaced.put(TargetKey.PROXY_PROTOCOL.keyName(), "false");
        }
        if (settings.text(TargetKey.CLIENT_CERTIFICATES).orElse("").equalsIgnoreCase("need")) {
            replaced.put(TargetKey.CLIENT_CERTIFICATES.keyName(), "want");
        }
    }

    /** Replaces the operator's token, which is a secret that this run must not use. */
    private @Nullable String token() {
        String entitlement = entitlement(settings);
        boolean basic = entitlement.equals("basic");
        boolean configured =
                settings.isWritten(TargetKey.ALLOW_TOKEN) || settings.isWritten(TargetKey.ALLOW_TOKEN_FILE);
        if (entitlement.equals("none") || (basic && !configured)) {
            return null;
        }
        if (basic) {
            String generated = UUID.randomUUID().toString();
            environment.put("BELFRY_ENTITLEMENTALLOWTOKEN", generated);
            // The server rejects both keys together; an empty value counts as not set.
            replaced.put(TargetKey.ALLOW_TOKEN_FILE.keyName(), "");
            return generated;
        }
        if (entitlement.equals("http")) {
            throw new IllegalArgumentException("Entitlement = Http would send the attacks' tokens to your application;"
                    + " add --set Entitlement=Basic");
        }
        if (entitlement.equals("jwt") && options.token() == null) {
            return signTokens().token("attacker");
        }
        if (options.token() == null) {
            throw new IllegalArgumentException("Entitlement = " + entitlement
                    + " does not issue tokens; pass one that allows everything below /attack with --token-file");
        }
        return options.token();
    }

    /** Replaces the operator's keys by a secret of this run, with which it signs tokens of any users. */
    private UserTokens signTokens() {
        UserTokens signing = new UserTokens(UUID.randomUUID() + "-" + UUID.randomUUID());
        environment.put("BELFRY_JWT_SECRET", signing.secret());
        // An empty value counts as not set.
        for (String key : List.of("SecretFile", "PublicKey", "Jwks", "Issuer", "Audience")) {
            replaced.put("Jwt." + key, "");
        }
        replaced.put("Jwt.Algorithm", "auto");
        users = signing;
        return signing;
    }

    private static String entitlement(Settings settings) {
        return settings.text(TargetKey.ENTITLEMENT).orElse("").toLowerCase(Locale.ROOT);
    }

    /** Returns the command line of {@code bin/belfry SUBCOMMAND} with this configuration. */
    List<String> command(String... subcommand) {
        List<String> command =
                new ArrayList<>(List.of(options.home().resolve("bin/belfry").toString()));
        command.addAll(List.of(subcommand));
        options.file().ifPresent(file -> command.addAll(List.of("-c", file.toString())));
        options.sets().stream().filter(set -> !isReplaced(set)).forEach(set -> command.addAll(List.of("--set", set)));
        replaced.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        return command;
    }

    private boolean isReplaced(String set) {
        String name = set.replaceFirst("\\s*=.*", "").strip();
        return replaced.keySet().stream().anyMatch(name::equalsIgnoreCase)
                || environment.containsKey(
                        "BELFRY_" + name.toUpperCase(Locale.ROOT).replace('.', '_'));
    }

    /**
     * Asks {@code bin/belfry check} for the values in effect.
     *
     * @throws IllegalArgumentException with the server's message if the configuration is invalid
     */
    EffectiveSettings check() throws IOException {
        Path output = folder.resolve("effective.conf");
        Optional<String> failure = run(command("check"), output);
        if (failure.isPresent()) {
            throw new IllegalArgumentException(failure.get());
        }
        Settings effective = Settings.read(TargetKey.ALL, Optional.of(output), Map.of(), List.of());
        EffectiveSettings found = new EffectiveSettings(
                encrypted,
                effective.flag(TargetKey.COMPRESSION),
                Duration.ofMillis(effective.timeMillis(TargetKey.HANDSHAKE_TIME)),
                Math.toIntExact(effective.sizeBytes(TargetKey.MAX_MESSAGE_SIZE)),
                effective.whole(TargetKey.SUBJECTS_PER_SESSION),
                entitlement(effective),
                token);
        return found.with(
                new EffectiveSettings.Features(null, users, presence(effective), events(effective), rates(effective)));
    }

    private EffectiveSettings.@Nullable Presence presence(Settings effective) {
        UserTokens signing = users;
        return lines(effective)
                .filter(words -> signing != null && words.contains("presence=yes"))
                .map(words -> words.getFirst().replace("**", "attack").replace("*", "attack"))
                .map(room -> new EffectiveSettings.Presence(
                        Objects.requireNonNull(signing), room, effective.timeMillis(TargetKey.PRESENCE_LEAVE_TIME)))
                .findFirst()
                .orElse(null);
    }

    /** Returns the words of each line with options of subjects. */
    private static Stream<List<String>> lines(Settings effective) {
        return effective.under(TargetKey.SUBJECTS).values().stream()
                .map(line -> List.of(line.strip().split("\\s+", -1)));
    }

    /** Returns the subjects of the first line with events; the attack needs a wildcard, and a token that allows these subjects. */
    private EffectiveSettings.@Nullable Events events(Settings effective) {
        SlowReceiver receiving = receiver;
        if (receiving == null || options.token() != null) {
            return null;
        }
        return lines(effective)
                .filter(words -> words.getFirst().contains("*"))
                .flatMap(words -> words.stream()
                        .filter(word -> word.startsWith("events="))
                        .map(word -> word.substring("events=".length()))
                        .filter(value ->
                                List.of("messages", "subscribers", "both").contains(value))
                        .map(value -> new EffectiveSettings.Events(
                                receiving,
                                words.getFirst(),
                                !value.equals("subscribers"),
                                !value.equals("messages"),
                                effective.timeMillis(TargetKey.EVENT_VACANT_TIME))))
                .findFirst()
                .orElse(null);
    }

    /** Returns the rates of users that the attack can exceed beside honest clients. */
    private EffectiveSettings.@Nullable UserRates rates(Settings effective) {
        UserTokens signing = users;
        int publishes = exceeded(effective.whole(TargetKey.PUBLISH_RATE_PER_USER));
        int commands = exceeded(effective.whole(TargetKey.COMMAND_RATE_PER_USER));
        return signing == null || publishes + commands == 0
                ? null
                : new EffectiveSettings.UserRates(signing, publishes, commands);
    }

    private static int exceeded(int rate) {
        return rate <= USER_RATE_MAX ? rate : 0;
    }

    /** Runs a program to its end; returns what it printed if it failed. */
    private Optional<String> run(List<String> command, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean succeeded = process.onExit().join().exitValue() == 0;
        return succeeded ? Optional.empty() : Optional.of((errors + Files.readString(output)).strip());
    }
}
