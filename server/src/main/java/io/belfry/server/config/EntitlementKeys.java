package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about entitlement; {@code ConfigKey} lists them. Immutable. */
final class EntitlementKeys {
    static final TopicKey ENTITLEMENT = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement",
            ValueType.choice("None", "Basic", "JWT", "Http", "Custom"),
            "Basic",
            "Permission check. `None` allows everything. `Basic` lets everyone subscribe, and clients with the token"
                    + " publish. `JWT` takes permissions from each client's signed token. `Http` asks the application at"
                    + " `Decide.Url`. `Custom` asks your own code.");

    static final TopicKey ENTITLEMENT_ALLOW_TOKEN = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowToken",
            ValueType.text(),
            "Token for publishing under `Entitlement = Basic`, of 8 characters or more. Without it only"
                    + " clients on the server's machine publish, and the server names this key to other clients. Such a"
                    + " client must address the server as 127.0.0.1, [::1] or localhost, or be a page that"
                    + " `AllowedOrigins` names.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey ENTITLEMENT_ALLOW_TOKEN_FILE = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "EntitlementAllowTokenFile",
            ValueType.path(),
            "File whose first line is the token, used instead of `EntitlementAllowToken`; read at the start"
                    + " and at each reload.",
            Trait.RELOADABLE);

    static final TopicKey ENTITLEMENT_DECIDE_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.DecideTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "5 s",
            "Time that `JWT`, `Http` or `Custom` has to decide on a client; after it the client is refused with"
                    + " `decide-timeout`.");

    static final TopicKey ENTITLEMENT_WAITING = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Waiting",
            ValueType.number(1, EntitlementConfig.MAX_WAITING),
            "10000",
            "Maximum number of pending decisions; further clients are refused with `overloaded`.");

    static final TopicKey ENTITLEMENT_TOKEN_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenTime",
            ValueType.time(TimeScale.S, LimitConfig.MIN_MILLIS, LimitConfig.MAX_MILLIS),
            "10 s",
            "Time that a WebSocket client without a token has under `JWT` to send one with `connect`; after it"
                    + " the session is closed with `unauthorized`.");

    static final TopicKey ENTITLEMENT_WARN_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.WarnTime",
            ValueType.time(TimeScale.S, 0, EntitlementConfig.MAX_WARN_MILLIS),
            "60 s",
            "Time before the expiry of a session's token at which the session is sent `token-to-expire`. The"
                    + " notice is never sent before half of the token's remaining time has passed; 0 sends none.");

    static final TopicKey ENTITLEMENT_TOKEN_IN_QUERY = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.TokenInQuery",
            ValueType.flag(),
            "false",
            "Whether `/subscribe` and `/poll` also accept the token as the parameter `token`, for a browser's"
                    + " EventSource. Proxies write addresses to their logs, so use tokens that expire soon.");

    static final TopicKey ENTITLEMENT_FOLDER = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Entitlement.Folder",
            ValueType.path(),
            "Folder with the jar of `Entitlement = Custom` and the libraries it needs. Without it the class"
                    + " path is searched.");

    static final TopicKey CUSTOM = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Custom.*",
            ValueType.text(),
            "Settings for the code behind `Entitlement = Custom`, which receives them under the name after"
                    + " `Custom.`.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey JWT_SECRET = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Secret",
            ValueType.text(),
            "Secret with which tokens are signed by HMAC, of 32 bytes or more.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey JWT_SECRET_FILE = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.SecretFile",
            ValueType.path(),
            "File whose first line is the secret, used instead of `Jwt.Secret`; read again when it changes.",
            Trait.RELOADABLE);

    static final TopicKey JWT_PUBLIC_KEY = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.PublicKey",
            ValueType.path(),
            "PEM file with the public keys or certificates of token issuers: RSA, EC or Ed25519. Read again"
                    + " when it changes.",
            Trait.RELOADABLE);

    static final TopicKey JWT_JWKS = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Jwks",
            ValueType.text("file | URL"),
            "JSON web key set: a file, read again when it changes, or an `https` URL, fetched every"
                    + " `Jwt.RefreshTime`. A URL on this machine may use `http`. While the URL cannot be fetched, the"
                    + " previous keys stay valid.",
            Trait.RELOADABLE);

    static final TopicKey JWT_REFRESH_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RefreshTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "300 s",
            "Interval at which the URL of `Jwt.Jwks` is fetched.",
            Trait.RELOADABLE);

    static final TopicKey JWT_UNKNOWN_KEY_TIME = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.UnknownKeyTime",
            ValueType.time(TimeScale.S, 1000, Long.MAX_VALUE),
            "10 s",
            "Minimum time between two early fetches of the URL of `Jwt.Jwks`. A token that names an unknown"
                    + " key starts such a fetch and waits for it; within this time further ones are refused.",
            Trait.RELOADABLE);

    static final TopicKey JWT_ALGORITHM = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Algorithm",
            ValueType.choice(
                    "auto", "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256",
                    "ES384", "ES512", "EdDSA"),
            "auto",
            "Algorithm of a key that does not name one itself. `auto` is HS256 for a secret, RS256 for RSA,"
                    + " the curve's algorithm for EC, and EdDSA for Ed25519. A token with another algorithm than its"
                    + " key's is refused.",
            Trait.RELOADABLE);

    static final TopicKey JWT_ISSUER = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Issuer",
            ValueType.text(),
            "Required value of a token's `iss`; without it any issuer is accepted.",
            Trait.RELOADABLE);

    static final TopicKey JWT_AUDIENCE = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Audience",
            ValueType.text(),
            "Required value among a token's `aud`; without it any audience is accepted.",
            Trait.RELOADABLE);

    static final TopicKey JWT_LEEWAY = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.Leeway",
            ValueType.time(TimeScale.S, 0, JwtConfig.MAX_LEEWAY_MILLIS),
            "0",
            "Maximum difference between the clocks of the server and of the token issuer. It delays `exp` and"
                    + " advances `nbf`.",
            Trait.RELOADABLE);

    static final TopicKey JWT_REQUIRE_EXPIRY = new TopicKey(
            ConfigTopic.ENTITLEMENT,
            "Jwt.RequireExpiry",
            ValueType.flag(),
            "true",
            "Whether to refuse a token without `exp`; such a token never expires.",
            Trait.RELOADABLE);

    private EntitlementKeys() {}
}
