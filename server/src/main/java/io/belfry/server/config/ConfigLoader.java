package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.KeySet;
import io.belfry.settings.Problems;
import io.belfry.settings.Ranges;
import io.belfry.settings.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Creates the server's configuration from a file, the environment and the command line. Pure except for the file. */
public final class ConfigLoader {
    /** The server's keys. The listed environment variables belong to the scripts in bin/ and are no keys. */
    public static final KeySet KEYS = new KeySet(
            List.of(ConfigKey.values()),
            "BELFRY_",
            Set.of(
                    "BELFRY_AOT_CACHE",
                    "BELFRY_JAVA_HOME",
                    "BELFRY_JAVA_OPTIONS",
                    "BELFRY_BENCH_JAVA_OPTIONS",
                    "BELFRY_JVM_PROFILE",
                    "BELFRY_RUN_FOLDER"),
            "docs/configuration.md");

    /** Maximum number of elements of a list; it detects a range such as 1-9999999 that was written by mistake. */
    private static final int MAX_LIST = 4096;

    private final Settings settings;

    private ConfigLoader(Settings settings) {
        this.settings = settings;
    }

    /** Loads the configuration. Throws a SettingsException that lists all problems. */
    public static ServerConfig load(Optional<Path> file, Map<String, String> environment, List<String> sets) {
        return effective(file, environment, sets).config();
    }

    /** Loads the configuration as {@link #load} does, with the origin of each value, for check and for reloads. */
    public static EffectiveConfig effective(Optional<Path> file, Map<String, String> environment, List<String> sets) {
        return EffectiveConfig.of(Settings.read(KEYS, file, environment, sets));
    }

    static ServerConfig of(Settings settings) {
        return new ConfigLoader(settings).config();
    }

    private ServerConfig config() {
        Problems problems = new Problems(settings);
        Optional<ListenConfig> listen = problems.attempt(this::listen);
        Optional<TlsConfig> tls = problems.attempt(this::tls);
        Optional<ProxyConfig> proxies = problems.attempt(this::proxies);
        Optional<LogConfig> log = problems.attempt(this::log);
        Optional<WorkgroupConfig> workgroups = problems.attempt(this::workgroups);
        Optional<MessageConfig> messages = problems.attempt(this::messages);
        Optional<HistoryConfig> history = problems.attempt(this::history);
        Optional<SlowConsumerConfig> slowConsumer = problems.attempt(this::slowConsumer);
        Optional<EntitlementConfig> entitlement = problems.attempt(this::entitlement);
        Optional<LimitConfig> limits = problems.attempt(this::limits);
        Optional<Optional<ApiConfig>> api = problems.attempt(this::api);
        Optional<Optional<EventConfig>> events = problems.attempt(() -> EventConfig.of(settings));
        Optional<MonitorConfig> monitor =
                problems.attempt(() -> monitor(tls.map(TlsConfig::groups).orElse(TlsGroup.INTERMEDIATE)));
        Optional<Optional<OtlpConfig>> otlp = problems.attempt(this::otlp);
        Optional<Optional<KafkaConfig>> kafka = problems.attempt(this::kafka);
        Optional<SubjectRules> subjects = history.map(general -> subjects(general, problems));
        Optional<PresenceConfig> presence = problems.attempt(() -> new PresenceConfig(
                settings.whole(ConfigKey.PRESENCE_MAX_MEMBERS), settings.timeMillis(ConfigKey.PRESENCE_LEAVE_TIME)));
        problems.throwIfAny();
        Optional<ProcessConfig> process = problems.attempt(() -> new ProcessConfig(
                settings.text(ConfigKey.NODE_NAME), settings.sizeBytes(ConfigKey.MEMORY), log.orElseThrow(), trial()));
        Optional<NetworkConfig> network = problems.attempt(
                () -> new NetworkConfig(listen.orElseThrow(), tls.orElseThrow(), proxies.orElseThrow()));
        problems.throwIfAny();
        Optional<ServerConfig> whole = problems.attempt(() -> new ServerConfig(
                process.orElseThrow(),
                network.orElseThrow(),
                workgroups.orElseThrow(),
                messages.orElseThrow(),
                history.orElseThrow(),
                subjects.orElseThrow(),
                presence.orElseThrow(),
                slowConsumer.orElseThrow(),
                entitlement.orElseThrow(),
                limits.orElseThrow(),
                api.orElseThrow(),
                events.orElseThrow(),
                monitor.orElseThrow(),
                otlp.orElseThrow(),
                kafka.orElseThrow()));
        problems.throwIfAny();
        return whole.orElseThrow();
    }

    private ListenConfig listen() {
        return new ListenConfig(
                addresses(ConfigKey.LISTEN),
                addresses(ConfigKey.LISTEN_ENCRYPTED),
                nativeIo(),
                words(ConfigKey.ALLOWED_ORIGINS));
    }

    private TlsConfig tls() {
        return new TlsConfig(
                TlsConfig.source(
                        settings.path(ConfigKey.CERTIFICATE),
                        settings.path(ConfigKey.CERTIFICATE_KEY),
                        settings.text(ConfigKey.CERTIFICATE_KEY_PASSWORD),
                        settings.path(ConfigKey.KEY_STORE),
                        settings.text(ConfigKey.KEY_STORE_PASSWORD)),
                choice(ConfigKey.TLS_PROVIDER, TlsConfig.Provider.class),
                choice(ConfigKey.TLS_CLIENT_CERTIFICATES, TlsConfig.ClientCertificates.class),
                settings.path(ConfigKey.TLS_CLIENT_AUTHORITIES),
                TlsGroup.parse(ConfigKey.TLS_GROUPS.keyName(), words(ConfigKey.TLS_GROUPS)),
                settings.timeMillis(ConfigKey.TLS_CHECK_INTERVAL),
                settings.whole(ConfigKey.LIMIT_TLS_HANDSHAKE_BYTES),
                settings.whole(ConfigKey.LIMIT_TLS_HANDSHAKE_RATE));
    }

    private ProxyConfig proxies() {
        return new ProxyConfig(
                settings.flag(ConfigKey.PROXY_PROTOCOL),
                words(ConfigKey.TRUSTED_PROXIES).stream()
                        .map(text -> AddressRange.parse(ConfigKey.TRUSTED_PROXIES.keyName(), text))
                        .toList());
    }

    private ListenConfig.NativeIo nativeIo() {
        return switch (settings.choice(ConfigKey.X_NATIVE_IO)) {
            case "true" -> ListenConfig.NativeIo.EPOLL;
            case "false" -> ListenConfig.NativeIo.NIO;
            case "io_uring" -> ListenConfig.NativeIo.IO_URING;
            case "channels" -> ListenConfig.NativeIo.CHANNELS;
            default -> ListenConfig.NativeIo.AUTO;
        };
    }

    private WorkgroupConfig workgroups() {
        OptionalLong groups = settings.numberOrWord(ConfigKey.WORKGROUPS);
        OptionalLong threads = settings.numberOrWord(ConfigKey.IO_THREADS);
        long processors = Math.min(Runtime.getRuntime().availableProcessors(), WorkgroupConfig.MAX_IO_THREADS);
        // The default of each key depends on the value that is set for the other key.
        long ioThreads = threads.orElse(Math.max(processors, groups.orElse(1)));
        long workgroups = groups.orElse(Math.min(processors, ioThreads));
        return new WorkgroupConfig(
                Math.toIntExact(workgroups),
                Math.toIntExact(ioThreads),
                settings.choice(ConfigKey.X_SUBJECT_HOMES).equals("subscriber"),
                settings.flag(ConfigKey.X_JOIN_QUIET_LOOPS),
                settings.flag(ConfigKey.BENCHMARK_MODE));
    }

    private MessageConfig messages() {
        return new MessageConfig(
                settings.whole(ConfigKey.MAX_MESSAGE_SIZE),
                settings.whole(ConfigKey.BUFFER_LIMIT_SEND),
                settings.whole(ConfigKey.BUFFER_LIMIT_RECEIVE),
                settings.whole(ConfigKey.BUFFER_LIMIT_UNSENT),
                settings.whole(ConfigKey.MAX_BATCHING_SPACE),
                settings.timeMillis(ConfigKey.MAX_BATCHING_TIME),
                settings.flag(ConfigKey.PUB_SUB_TIGHTLY_COUPLED),
                compression(),
                deltas(),
                new HeaderConfig(
                        settings.whole(ConfigKey.LIMIT_HEADERS), settings.whole(ConfigKey.LIMIT_HEADER_BYTES)));
    }

    private CompressionConfig compression() {
        return new CompressionConfig(
                settings.flag(ConfigKey.COMPRESSION),
                settings.whole(ConfigKey.COMPRESSION_MIN_BYTES),
                settings.whole(ConfigKey.LIMIT_INFLATE_RATIO),
                settings.sizeBytes(ConfigKey.LIMIT_INFLATE_RATE));
    }

    private DeltaConfig deltas() {
        return new DeltaConfig(
                settings.flag(ConfigKey.DELTA),
                settings.whole(ConfigKey.DELTA_MIN_BYTES),
                settings.whole(ConfigKey.DELTA_MAX_BYTES),
                settings.sizeBytes(ConfigKey.LIMIT_DELTA_BYTES));
    }

    private HistoryConfig history() {
        return new HistoryConfig(
                choice(ConfigKey.HISTORY, HistoryConfig.Kind.class),
                settings.whole(ConfigKey.CACHE_SIZE),
                cacheExpireMillis(),
                settings.share(ConfigKey.CACHE_MEMORY).of(settings.sizeBytes(ConfigKey.MEMORY)),
                settings.path(ConfigKey.HISTORY_FOLDER).orElseThrow(),
                choice(ConfigKey.HISTORY_SYNC, HistoryConfig.Sync.class),
                settings.sizeBytes(ConfigKey.HISTORY_DISK_BYTES),
                numberOrShare(ConfigKey.LIMIT_MESSAGE_IDS, HistoryConfig.BYTES_PER_MESSAGE_ID));
    }

    private SubjectRules subjects(HistoryConfig history, Problems problems) {
        boolean applicationDecides = settings.choice(ConfigKey.ENTITLEMENT).equalsIgnoreCase("http");
        return new SubjectRulesReader(problems, SubjectOptions.general(history), applicationDecides)
                .read(settings.entriesOf(ConfigKey.SUBJECTS));
    }

    /** Returns the expiry time. History on disk does not expire by default, because it is configured to be kept. */
    private long cacheExpireMillis() {
        long millis = settings.timeMillis(ConfigKey.CACHE_EXPIRE_TIME);
        boolean keptByDefault =
                settings.choice(ConfigKey.HISTORY).equals("disk") && !settings.isWritten(ConfigKey.CACHE_EXPIRE_TIME);
        return millis == 0 || keptByDefault ? HistoryConfig.NO_EXPIRY : millis;
    }

    private SlowConsumerConfig slowConsumer() {
        return new SlowConsumerConfig(
                choice(ConfigKey.SLOW_CONSUMER, SlowConsumerConfig.Policy.class),
                words(ConfigKey.SLOW_CONSUMER_SUBJECTS).stream()
                        .map(text -> SlowConsumerRule.parse(ConfigKey.SLOW_CONSUMER_SUBJECTS.keyName(), text))
                        .toList(),
                settings.sizeBytes(ConfigKey.SLOW_CONSUMER_MAX_BYTES),
                settings.timeMillis(ConfigKey.SLOW_CONSUMER_GRACE));
    }

    private EntitlementConfig entitlement() {
        return new EntitlementConfig(
                choice(ConfigKey.ENTITLEMENT, EntitlementConfig.Kind.class),
                settings.text(ConfigKey.ENTITLEMENT_ALLOW_TOKEN),
                settings.path(ConfigKey.ENTITLEMENT_ALLOW_TOKEN_FILE),
                settings.timeMillis(ConfigKey.ENTITLEMENT_DECIDE_TIME),
                settings.whole(ConfigKey.ENTITLEMENT_WAITING),
                settings.timeMillis(ConfigKey.ENTITLEMENT_TOKEN_TIME),
                settings.timeMillis(ConfigKey.ENTITLEMENT_WARN_TIME),
                settings.flag(ConfigKey.ENTITLEMENT_TOKEN_IN_QUERY),
                jwt(),
                new EntitlementConfig.CustomConfig(
                        settings.path(ConfigKey.ENTITLEMENT_FOLDER), settings.under(ConfigKey.CUSTOM)),
                decide());
    }

    /** Returns the settings of {@code Entitlement = Http}, else empty. */
    private Optional<DecideConfig> decide() {
        if (choice(ConfigKey.ENTITLEMENT, EntitlementConfig.Kind.class) != EntitlementConfig.Kind.HTTP) {
            return Optional.empty();
        }
        return Optional.of(new DecideConfig(
                CallbackUrls.parse(ConfigKey.DECIDE_URL.keyName(), words(ConfigKey.DECIDE_URL)),
                new SignatureConfig(
                        ConfigKey.DECIDE_SECRET.keyName(),
                        settings.text(ConfigKey.DECIDE_SECRET),
                        settings.path(ConfigKey.DECIDE_SECRET_FILE)),
                settings.path(ConfigKey.DECIDE_AUTHORITIES),
                words(ConfigKey.DECIDE_HEADERS),
                settings.timeMillis(ConfigKey.DECIDE_ANSWER_TIME),
                settings.timeMillis(ConfigKey.DECIDE_PAUSE_TIME),
                new DecideConfig.Bounds(
                        settings.whole(ConfigKey.DECIDE_PARALLEL),
                        settings.whole(ConfigKey.DECIDE_WAITING),
                        settings.sizeBytes(ConfigKey.DECIDE_WAITING_BYTES),
                        settings.whole(ConfigKey.DECIDE_ANSWER_BYTES),
                        settings.whole(ConfigKey.DECIDE_CACHE_ENTRIES),
                        settings.timeMillis(ConfigKey.DECIDE_CACHE_TIME))));
    }

    private JwtConfig jwt() {
        String algorithm = settings.choice(ConfigKey.JWT_ALGORITHM);
        JwtKeyConfig keys = new JwtKeyConfig(
                settings.text(ConfigKey.JWT_SECRET),
                settings.path(ConfigKey.JWT_SECRET_FILE),
                settings.path(ConfigKey.JWT_PUBLIC_KEY),
                settings.text(ConfigKey.JWT_JWKS),
                algorithm.equals("auto") ? Optional.empty() : Optional.of(algorithm),
                settings.timeMillis(ConfigKey.JWT_REFRESH_TIME),
                settings.timeMillis(ConfigKey.JWT_UNKNOWN_KEY_TIME));
        return new JwtConfig(
                keys,
                settings.text(ConfigKey.JWT_ISSUER),
                settings.text(ConfigKey.JWT_AUDIENCE),
                settings.timeMillis(ConfigKey.JWT_LEEWAY),
                settings.flag(ConfigKey.JWT_REQUIRE_EXPIRY));
    }

    private LimitConfig limits() {
        return new LimitConfig(
                new ConnectionLimitConfig(
                        settings.whole(ConfigKey.LIMIT_CONNECTIONS),
                        settings.whole(ConfigKey.LIMIT_CONNECT_RATE),
                        settings.whole(ConfigKey.LIMIT_HANDSHAKE_TIME),
                        settings.whole(ConfigKey.LIMIT_HANDSHAKE_BYTES),
                        settings.sizeBytes(ConfigKey.LIMIT_INCOMPLETE_BYTES)),
                new AddressLimitConfig(
                        settings.whole(ConfigKey.LIMIT_CONNECTIONS_PER_ADDRESS),
                        settings.whole(ConfigKey.LIMIT_UNKNOWN_PER_ADDRESS),
                        settings.whole(ConfigKey.LIMIT_CONNECT_RATE_PER_ADDRESS),
                        settings.whole(ConfigKey.LIMIT_PUBLISH_RATE_PER_ADDRESS),
                        settings.whole(ConfigKey.LIMIT_FAILED_TOKENS_PER_ADDRESS)),
                settings.whole(ConfigKey.LIMIT_SUBJECTS_PER_SESSION),
                settings.whole(ConfigKey.LIMIT_CONFLATED_SUBJECTS),
                settings.whole(ConfigKey.LIMIT_PUBLISH_RATE),
                settings.sizeBytes(ConfigKey.LIMIT_RETAINED_BYTES),
                pings(),
                new BacklogLimitConfig(
                        settings.sizeBytes(ConfigKey.LIMIT_INBOX_BYTES),
                        settings.sizeBytes(ConfigKey.LIMIT_HISTORY_UNSYNCED_BYTES)),
                new LoadLimitConfig(
                        settings.whole(ConfigKey.LIMIT_REQUEST_RATE),
                        settings.whole(ConfigKey.LIMIT_COMMAND_RATE),
                        numberOrShare(ConfigKey.LIMIT_SUBJECTS, LoadLimitConfig.BYTES_PER_SUBJECT),
                        numberOrShare(ConfigKey.LIMIT_PATTERNS, LoadLimitConfig.BYTES_PER_PATTERN),
                        settings.whole(ConfigKey.LIMIT_PATTERNS_PER_SESSION),
                        settings.sizeBytes(ConfigKey.LIMIT_ANSWER_BYTES)),
                new HeldLimitConfig(
                        settings.whole(ConfigKey.LIMIT_PIPELINED_BYTES),
                        settings.whole(ConfigKey.LIMIT_REFUSED_WAITING),
                        settings.whole(ConfigKey.LIMIT_REMEMBERED_ADDRESSES),
                        new KeptSessionConfig(
                                settings.whole(ConfigKey.SESSION_DETACHED_TIME),
                                settings.whole(ConfigKey.LIMIT_DETACHED_SESSIONS),
                                settings.sizeBytes(ConfigKey.LIMIT_DETACHED_BYTES)),
                        new ClientNameConfig(
                                settings.flag(ConfigKey.SESSION_CLIENT_NAMES),
                                settings.whole(ConfigKey.LIMIT_CLIENT_NAMES)),
                        new UserLimitConfig(
                                settings.whole(ConfigKey.LIMIT_SESSIONS_PER_USER),
                                choice(ConfigKey.LIMIT_SESSIONS_PER_USER_POLICY, UserLimitConfig.Policy.class),
                                settings.whole(ConfigKey.LIMIT_PUBLISH_RATE_PER_USER),
                                settings.whole(ConfigKey.LIMIT_COMMAND_RATE_PER_USER))));
    }

    /** Bounds that are not configured include PingInterval, so that it can be changed alone. */
    private PingConfig pings() {
        int interval = settings.whole(ConfigKey.PING_INTERVAL);
        int min = settings.whole(ConfigKey.PING_INTERVAL_MIN);
        int max = settings.whole(ConfigKey.PING_INTERVAL_MAX);
        return new PingConfig(
                interval,
                settings.isWritten(ConfigKey.PING_INTERVAL_MIN) ? min : Math.min(min, interval),
                settings.isWritten(ConfigKey.PING_INTERVAL_MAX) ? max : Math.max(max, interval));
    }

    /** Returns the configured number, or by default one for each {@code bytesEach} bytes of Memory. */
    private int numberOrShare(ConfigKey key, int bytesEach) {
        long share = settings.sizeBytes(ConfigKey.MEMORY) / bytesEach;
        return (int) Math.min(Integer.MAX_VALUE, settings.numberOrWord(key).orElse(share));
    }

    /** Returns the settings of the server API if {@code Api.Listen} is set, else empty. */
    private Optional<ApiConfig> api() {
        if (settings.text(ConfigKey.API_LISTEN).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ApiConfig(
                address(ConfigKey.API_LISTEN),
                settings.path(ConfigKey.API_KEY_FILE)
                        .orElseThrow(() -> new InvalidSetting("Api.Listen", "needs Api.KeyFile")),
                settings.whole(ConfigKey.API_REQUESTS),
                settings.whole(ConfigKey.API_BODY_BYTES),
                settings.whole(ConfigKey.API_ANSWER_BYTES),
                settings.whole(ConfigKey.API_BATCH_LINES),
                settings.timeMillis(ConfigKey.API_CALL_TIME),
                new ApiConfig.Revoking(
                        settings.whole(ConfigKey.API_REVOCATIONS), settings.path(ConfigKey.API_REVOCATION_FILE)),
                words(ConfigKey.API_NODES).stream().map(ApiNode::parse).toList()));
    }

    private MonitorConfig monitor(List<TlsGroup> tlsGroups) {
        List<String> ways = words(ConfigKey.MONITOR);
        ways.stream()
                .filter(way -> !way.equalsIgnoreCase("JMX") && !way.equalsIgnoreCase("HTTP"))
                .findFirst()
                .ifPresent(way -> {
                    throw new InvalidSetting(
                            ConfigKey.MONITOR.keyName(),
                            way + " is not a kind of monitor; must be a list of JMX and HTTP, or none");
                });
        return new MonitorConfig(
                endpoint(
                        ways.stream().anyMatch("JMX"::equalsIgnoreCase),
                        ConfigKey.MONITOR_JMX_LISTEN,
                        ConfigKey.MONITOR_JMX_AUTHENTICATION),
                settings.flag(ConfigKey.MONITOR_JMX_ENCRYPTION),
                endpoint(
                        ways.stream().anyMatch("HTTP"::equalsIgnoreCase),
                        ConfigKey.MONITOR_HTTP_LISTEN,
                        ConfigKey.MONITOR_HTTP_AUTHENTICATION),
                settings.text(ConfigKey.MONITOR_USERNAME).orElseThrow(),
                settings.text(ConfigKey.MONITOR_PASSWORD),
                settings.path(ConfigKey.MONITOR_PASSWORD_FILE),
                settings.path(ConfigKey.KEY_STORE),
                settings.text(ConfigKey.KEY_STORE_PASSWORD),
                tlsGroups,
                new ConsoleConfig(
                        settings.flag(ConfigKey.CONSOLE),
                        settings.text(ConfigKey.CONSOLE_ACT_PASSWORD),
                        settings.path(ConfigKey.CONSOLE_ACT_PASSWORD_FILE)));
    }

    private MonitorConfig.Endpoint endpoint(boolean open, ConfigKey listen, ConfigKey authentication) {
        return new MonitorConfig.Endpoint(
                open, address(listen), settings.flag(authentication), settings.isWritten(authentication));
    }

    /** Returns the settings of the export if {@code Otlp.Endpoint} is set, else empty. */
    private Optional<OtlpConfig> otlp() {
        return settings.text(ConfigKey.OTLP_ENDPOINT)
                .map(endpoint -> new OtlpConfig(
                        OtlpConfig.endpoint(endpoint),
                        settings.timeMillis(ConfigKey.OTLP_INTERVAL),
                        settings.under(ConfigKey.OTLP_HEADERS),
                        settings.flag(ConfigKey.OTLP_TRACES),
                        OtlpConfig.ratio(
                                settings.text(ConfigKey.OTLP_TRACE_RATIO).orElseThrow()),
                        settings.whole(ConfigKey.OTLP_SPANS_WAITING)));
    }

    private LogConfig log() {
        return new LogConfig(
                settings.timeMillis(ConfigKey.STATS_LOG_INTERVAL),
                settings.path(ConfigKey.LOG_FOLDER).orElseThrow(),
                settings.choice(ConfigKey.LOG_LEVEL),
                settings.sizeBytes(ConfigKey.LOG_ROTATE_LIMIT),
                settings.whole(ConfigKey.LOG_ROTATE_FILE_COUNT));
    }

    /** Returns the Kafka settings if {@code ClusterEngine = kafka}, else empty. */
    private Optional<KafkaConfig> kafka() {
        if (!settings.choice(ConfigKey.CLUSTER_ENGINE).equals("kafka")) {
            return Optional.empty();
        }
        return Optional.of(new KafkaConfig(
                words(ConfigKey.KAFKA_BROKERS),
                kafkaTopics(),
                kafkaTimes(),
                settings.sizeBytes(ConfigKey.KAFKA_PUBLISH_BUFFER),
                settings.whole(ConfigKey.KAFKA_QUIET_SUBJECTS),
                settings.whole(ConfigKey.KAFKA_WATCHED_SUBJECTS),
                settings.whole(ConfigKey.KAFKA_PRESENCE_MEMBERS),
                new KafkaClientConfig(
                        settings.under(ConfigKey.KAFKA_CLIENTS),
                        settings.under(ConfigKey.KAFKA_PRODUCER),
                        settings.under(ConfigKey.KAFKA_CONSUMER),
                        settings.under(ConfigKey.KAFKA_ADMIN))));
    }

    private KafkaTopicConfig kafkaTopics() {
        String log = settings.text(ConfigKey.KAFKA_TOPIC).orElseThrow();
        return new KafkaTopicConfig(
                log,
                settings.text(ConfigKey.KAFKA_RETAINED_TOPIC).orElse(log + KafkaTopicConfig.RETAINED),
                words(ConfigKey.KAFKA_BRIDGE),
                settings.numberOrWord(ConfigKey.KAFKA_PARTITIONS),
                settings.whole(ConfigKey.KAFKA_REPLICATION));
    }

    private KafkaTimeConfig kafkaTimes() {
        return new KafkaTimeConfig(
                settings.timeMillis(ConfigKey.KAFKA_START_TIME),
                settings.timeMillis(ConfigKey.KAFKA_PUBLISH_TIME),
                settings.timeMillis(ConfigKey.KAFKA_REPEAT_TIME),
                settings.timeMillis(ConfigKey.KAFKA_STALE_TIME),
                settings.timeMillis(ConfigKey.KAFKA_RESTART_PAUSE),
                settings.timeMillis(ConfigKey.KAFKA_PRESENCE_TIME));
    }

    private TrialConfig trial() {
        return new TrialConfig(settings.flag(ConfigKey.X_ECHO), settings.path(ConfigKey.DOCUMENT_ROOT));
    }

    private List<ListenAddress> addresses(ConfigKey key) {
        return words(key).stream()
                .map(text -> ListenAddress.parse(key.keyName(), text))
                .toList();
    }

    private ListenAddress address(ConfigKey key) {
        return ListenAddress.parse(key.keyName(), settings.text(key).orElseThrow());
    }

    /** Returns the elements of a list; the single word {@code none} means an empty list. */
    private List<String> words(ConfigKey key) {
        Optional<Ranges> list = settings.list(key);
        if (list.isEmpty()) return List.of();
        InvalidSetting.unless(
                list.get().size() <= MAX_LIST,
                key.keyName(),
                settings.text(key).orElse(""),
                "has more than " + MAX_LIST + " elements");
        List<String> words = new ArrayList<>();
        list.get().forEach(words::add);
        return words.equals(List.of("none")) ? List.of() : words;
    }

    private <E extends Enum<E>> E choice(ConfigKey key, Class<E> type) {
        return Enum.valueOf(type, settings.choice(key).replace('-', '_').toUpperCase(Locale.ROOT));
    }
}
