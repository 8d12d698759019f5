package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Door;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attack that finds nothing where nothing is defended would find nothing anywhere. */
class AttacksTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofMillis(60);

    private static Facts facts(boolean encrypted) {
        return new Facts(encrypted, true, Duration.ofMillis(200), 1024, 1000, "Basic", "the-token-0123456789");
    }

    private static Attack named(String name) {
        return Attacks.all().stream()
                .filter(attack -> attack.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> faults(String name, WeakServer.Manner manner) throws IOException {
        try (WeakServer server = new WeakServer(manner)) {
            Field field = new Field(
                    facts(name.startsWith("tls")),
                    Door.forAttackers(server.port(), null),
                    SHORT,
                    PATIENCE,
                    () -> "\nFORGED");
            named(name).run(field);
            return field.faults();
        }
    }

    @Test
    void namesAreDifferentAndSentencesShort() {
        assertThat(Attacks.all())
                .extracting(Attack::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z-]{3,20}"));
        assertThat(Attacks.all()).extracting(Attack::sentence).allMatch(sentence -> sentence.length() < 120);
    }

    @ParameterizedTest
    @ValueSource(strings = {"slow-header", "slow-body", "half-handshakes", "huge-heads", "smuggling"})
    void aServerThatEndsNoConnectionGivesWay(String name) throws IOException {
        assertThat(faults(name, WeakServer.Manner.SILENT)).isNotEmpty();
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
                "wildcard-flood"
            })
    void aServerThatGrantsEverythingGivesWay(String name) throws IOException {
        assertThat(faults(name, WeakServer.Manner.OBLIGING)).isNotEmpty();
    }

    @Test
    void aServerThatTakesQuestionsWithoutAnEndGivesWay() throws IOException {
        // It swallows them; one that answers is stopped by its own socket.
        try (WeakServer server = new WeakServer(WeakServer.Manner.SILENT)) {
            Door door = Door.forAttackers(server.port(), null);
            Field field = new Field(facts(false), door, Duration.ofSeconds(10), PATIENCE, () -> "");
            Unread endless = new Unread("pipelining", "", false, at -> new byte[1000]);
            endless.run(field);
            assertThat(field.faults()).isNotEmpty();
        }
    }

    @Test
    void aServerThatLetsAReboundPagePublishGivesWayToCrossSite() throws IOException {
        try (WeakServer server = new WeakServer(WeakServer.Manner.OBLIGING)) {
            Facts open = new Facts(false, true, Duration.ofMillis(200), 1024, 1000, "Basic", null);
            Field field = new Field(open, Door.forAttackers(server.port(), null), SHORT, PATIENCE, () -> "");
            named("cross-site").run(field);
            assertThat(field.faults())
                    .contains(
                            "a page whose name points to this machine may publish",
                            "a page whose name points to this machine may publish over WebSocket");
        }
    }

    @Test
    void whereNoSessionIsGrantedAnAttackOnSessionsSaysSo() {
        assertThatThrownBy(() -> faults("json-bombs", WeakServer.Manner.SILENT))
                .isInstanceOf(IOException.class)
                .hasMessage("no WebSocket session: no answer");
    }

    @Test
    void whatAConfigurationHasSwitchedOffIsSkipped() {
        Facts plain = new Facts(false, false, Duration.ofSeconds(5), 1024, 1000, "None", null);
        assertThat(Attacks.all())
                .filteredOn(attack -> attack.off(plain).isPresent())
                .extracting(Attack::name)
                .containsExactly("tls-hellos", "compression-bomb", "inflate-ratio", "token-guessing");
    }

    @Test
    void aMessageInflatesToWhatItSays() throws DataFormatException {
        byte[] deflated = Deflating.deflated(100_000);
        Inflater inflater = new Inflater(true);
        inflater.setInput(withTail(deflated));
        assertThat(inflater.inflate(new byte[200_000])).isEqualTo(100_000);
        inflater.end();
        assertThat(deflated.length).isLessThan(1000);
    }

    /** RFC 7692: the receiver appends what the sender left out. */
    private static byte[] withTail(byte[] deflated) {
        byte[] all = Arrays.copyOf(deflated, deflated.length + 4);
        all[deflated.length + 2] = (byte) 0xFF;
        all[deflated.length + 3] = (byte) 0xFF;
        return all;
    }
}
