package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.SizeUnit;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about decisions of the application; {@code ConfigKey} lists them. Immutable. */
final class DecideKeys {
    static final TopicKey DECIDE_URL = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Url",
            ValueType.list("list of URLs"),
            "Addresses of the application that decides under `Entitlement = Http`, at most 8. They are asked in this"
                    + " order, the next one if one fails. `https`, or `http` on this machine.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_SECRET = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Secret",
            ValueType.text(),
            "Secret that signs the questions, in the form of Standard Webhooks: `whsec_` and the base64 form of 24 to"
                    + " 64 bytes. Several secrets with spaces between them give several signatures during a change.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey DECIDE_SECRET_FILE = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.SecretFile",
            ValueType.path(),
            "File whose first line has the secrets, used instead of `Decide.Secret`; read at the start and at each"
                    + " reload.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_AUTHORITIES = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Authorities",
            ValueType.path(),
            "PEM file with the authorities that the application's certificate is checked by. Without it the JDK's"
                    + " authorities count.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_HEADERS = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Headers",
            ValueType.list("list of names"),
            "Names of the request headers that a question contains, such as `cookie`, at most 16.");

    static final TopicKey DECIDE_ANSWER_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.AnswerTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "2 s",
            "Time within which one address answers a question completely. `Entitlement.DecideTime` applies to the whole"
                    + " decision.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_PAUSE_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.PauseTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time for which an address is not asked after 5 questions in sequence without an answer. Then one question"
                    + " tests it.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_PARALLEL = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Parallel",
            ValueType.number(1, DecideConfig.MAX_PARALLEL),
            "64",
            "Maximum number of questions that the application answers at the same time; further ones wait.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_WAITING = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.Waiting",
            ValueType.number(0, EntitlementConfig.MAX_WAITING),
            "5000",
            "Maximum number of questions that wait because `Decide.Parallel` is reached; a further client is refused"
                    + " with `overloaded`.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_WAITING_BYTES = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.WaitingBytes",
            ValueType.size(SizeUnit.B, 1 << 20, DecideConfig.MAX_WAITING_BYTES),
            "16 MB",
            "Maximum size of all publishes that wait for a decision of the application; a further one is refused with"
                    + " `overloaded`. Each lane has an equal share, and room for one publish at least.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_ANSWER_BYTES = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.AnswerBytes",
            ValueType.size(SizeUnit.B, DecideConfig.MIN_ANSWER_BYTES, DecideConfig.MAX_ANSWER_BYTES),
            "64 KB",
            "Maximum size of an answer; a larger one is a failure, and the client is refused.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_CACHE_ENTRIES = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.CacheEntries",
            ValueType.number(0, DecideConfig.MAX_CACHE_ENTRIES),
            "10000",
            "Maximum number of answers that are cached, each for the time that it names in `ttl`. The least recently"
                    + " used one is removed first; 0 caches none.",
            Trait.RELOADABLE);

    static final TopicKey DECIDE_CACHE_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Decide.CacheTime",
            ValueType.time(TimeScale.S, 0, LimitConfig.MAX_MILLIS),
            "300 s",
            "Maximum time for which an answer is cached, whatever its `ttl`.",
            Trait.RELOADABLE);

    private DecideKeys() {}
}
