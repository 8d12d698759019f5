package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every attack must find faults in a server without defences. */
@Execution(ExecutionMode.CONCURRENT)
class AttacksTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    /** Time for a response of a server that never responds. */
    private static final Duration SILENCE = Duration.ofMillis(60);

    /** Time for a response of a server that responds at once, on a busy machine. */
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private static SlowReceiver receiver;

    @BeforeAll
    static void openReceiver() throws IOException {
        receiver = SlowReceiver.open();
    }

    @AfterAll
    static void closeReceiver() {
        receiver.close();
    }

    private static EffectiveSettings settings(boolean encrypted) {
        return new EffectiveSettings(
                encrypted, true, Duration.ofMillis(200), 1024, 1000, "basic", "the-token-0123456789");
    }

    private static Attack named(String name) {
        return Attack.ALL.stream()
                .filter(attack -> attack.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> faults(String name, WeakServer.Behaviour behaviour) throws IOException {
        try (WeakServer server = new WeakServer(behaviour)) {
            Duration timeout = behaviour == WeakServer.Behaviour.SILENT ? SILENCE : TIMEOUT;
            AttackContext context = context(server, settings(name.startsWith("tls")), SHORT, timeout);
            named(name).body().run(context);
            return context.faults();
        }
    }

    private static AttackContext context(
            WeakServer server, EffectiveSettings settings, Duration atMost, Duration timeout) {
        AttackTarget target = new AttackTarget(server.port(), false, AttackTarget.ATTACKERS);
        EffectiveSettings.Api api = new EffectiveSettings.Api(server.port(), "0123456789abcdef0123456789abcdef");
        UserTokens users = new UserTokens("s");
        EffectiveSettings.Features features = new EffectiveSettings.Features(
                api,
                users,
                new EffectiveSettings.Presence(users, "/room", 1),
                new EffectiveSettings.Events(receiver, "/events/*", true, true, 5_000),
                new EffectiveSettings.UserRates(users, 1, 1));
        return new AttackContext(settings.with(features), target, atMost, timeout, () -> "\nFORGED");
    }

    @Test
    void namesAreUniqueAndDescriptionsShort() {
        assertThat(Attack.ALL)
                .extracting(Attack::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z-]{3,20}"));
        assertThat(Attack.ALL).extracting(Attack::description).allMatch(text -> text.length() < 120);
    }

    @ParameterizedTest
    @ValueSource(strings = {"slow-header", "slow-body", "half-handshakes", "huge-heads", "smuggling"})
    void anAttackFindsAServerThatEndsNoConnection(String name) throws IOException {
        assertThat(faults(name, WeakServer.Behaviour.SILENT)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "smuggling",
                "cross-site",
                "unmasked-frames",
                "long-lengths",
                "tiny-fragments",
                "compression-bomb",
                "json-bombs",
                "injection",
                "token-guessing",
                "subject-flood",
                "wildcard-flood",
                "header-abuse",
                "presence-flood",
                "event-flood",
                "user-flood",
                "api-keys",
                "api-nonsense"
            })
    void anAttackFindsAServerThatAcceptsEverything(String name) throws IOException {
        assertThat(faults(name, WeakServer.Behaviour.PERMISSIVE)).isNotEmpty();
    }

    @Test
    void aServerThatReadsRequestsForeverIsAFault() throws IOException {
        // This server reads and never responds; a server that responds is blocked by its own socket.
        try (WeakServer server = new WeakServer(WeakServer.Behaviour.SILENT)) {
            AttackContext context = context(server, settings(false), Duration.ofSeconds(10), SILENCE);
            UnreadResponses.run(context, false, new byte[1000]);
            assertThat(context.faults()).isNotEmpty();
        }
    }

    @Test
    void crossSiteFindsAServerThatAcceptsDnsRebinding() throws IOException {
        try (WeakServer server = new WeakServer(WeakServer.Behaviour.PERMISSIVE)) {
            EffectiveSettings open =
                    new EffectiveSettings(false, true, Duration.ofMillis(200), 1024, 1000, "basic", null);
            AttackContext context = context(server, open, SHORT, TIMEOUT);
            named("cross-site").body().run(context);
            assertThat(context.faults())
                    .contains(
                            "a page whose name points to this machine may publish",
                            "a page whose name points to this machine may publish over WebSocket");
        }
    }

    @Test
    void anAttackFailsIfTheServerRefusesSessions() {
        assertThatThrownBy(() -> faults("json-bombs", WeakServer.Behaviour.SILENT))
                .isInstanceOf(IOException.class)
                .hasMessage("no WebSocket session: no response");
    }

    @Test
    void attacksThatDoNotApplyAreSkipped() {
        EffectiveSettings plain = new EffectiveSettings(false, false, Duration.ofSeconds(5), 1024, 1000, "none", null);
        assertThat(Attack.ALL)
                .filteredOn(attack -> attack.skipReason(plain).isPresent())
                .extracting(Attack::name)
                .containsExactly(
                        "tls-hellos",
                        "compression-bomb",
                        "inflate-ratio",
                        "token-guessing",
                        "presence-flood",
                        "event-flood",
                        "user-flood",
                        "api-keys",
                        "api-nonsense",
                        "api-flood",
                        "api-resets",
                        "api-slow-readers");
    }

    @Test
    void aCompressedMessageInflatesToItsPlainSize() throws DataFormatException {
        byte[] deflated = CompressedMessages.deflated(100_000);
        Inflater inflater = new Inflater(true);
        inflater.setInput(withTail(deflated));
        assertThat(inflater.inflate(new byte[200_000])).isEqualTo(100_000);
        inflater.end();
        assertThat(deflated.length).isLessThan(1000);
    }

    /** RFC 7692: the receiver appends the tail that the sender removed. */
    private static byte[] withTail(byte[] deflated) {
        byte[] all = Arrays.copyOf(deflated, deflated.length + 4);
        all[deflated.length + 2] = (byte) 0xFF;
        all[deflated.length + 3] = (byte) 0xFF;
        return all;
    }
}
