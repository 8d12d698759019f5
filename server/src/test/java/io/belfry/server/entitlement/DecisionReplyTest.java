package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecisionReplyTest {
    private static final byte[] SUBJECT = "/rooms/1".getBytes(StandardCharsets.UTF_8);

    private static DecisionReply parse(String text) {
        return DecisionReply.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aGrantHasUserPermissionsAndEnd() {
        DecisionReply reply = parse("{\"allow\":true,\"user\":\"ada\",\"ttl\":1.5,\"until\":1900000000,"
                + "\"permissions\":{\"sub\":[\"/rooms/*\"]},\"later\":{\"a\":[1,null]}}");
        Principal principal = ((Entitlement.Answer.Accepted) reply.answer()).principal();
        assertThat(principal.user()).isEqualTo("ada");
        assertThat(principal.expiresMillis()).isEqualTo(1_900_000_000_000L);
        assertThat(principal.maySubscribe(SUBJECT, 0)).isEqualTo(Decision.ALLOWED);
        assertThat(principal.mayPublish(SUBJECT, SUBJECT.length, 0)).isInstanceOf(Decision.Denied.class);
        assertThat(reply.ttlMillis()).isEqualTo(1500);
    }

    @Test
    void aRefusalHasACodeAndABoundedReason() {
        DecisionReply reply = parse("{\"allow\":false,\"code\":\"not-ready\",\"reason\":\"" + "r".repeat(1000) + "\"}");
        Entitlement.Answer.Rejected rejected = (Entitlement.Answer.Rejected) reply.answer();
        assertThat(rejected.code()).isEqualTo(Code.NOT_READY);
        assertThat(rejected.reason()).hasSize(256);
    }

    @Test
    void anythingElseIsNoAnswer() {
        String[] texts = {
            "",
            "true",
            "[]",
            "{}",
            "{\"allow\":1}",
            "{\"allow\":\"true\"}",
            "{\"allow\":true",
            "{\"allow\":true}{}",
            "{\"allow\":false,\"allow\":true}",
            "{\"allow\":true,\"permissions\":[]}",
            "{\"allow\":true,\"permissions\":{\"sub\":\"/a\"}}",
            "{\"allow\":true,\"permissions\":{\"sub\":[null]}}",
            "{\"allow\":true,\"permissions\":{\"sub\":[\"a\"]}}",
            "{\"allow\":true,\"permissions\":{\"sub\":[\"/{user}\"]}}",
            "{\"allow\":true,\"permissions\":{\"system\":1}}",
            "{\"allow\":true,\"until\":\"tomorrow\"}",
            "{\"allow\":true,\"until\":NaN}",
            "{\"allow\":true,\"ttl\":[]}",
            "{\"allow\":true,\"user\":7}",
            "{\"allow\":false,\"code\":\"token-expired\"}"
        };
        for (String text : texts) {
            assertThatThrownBy(() -> parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void deepNestingIsNoAnswer() {
        assertThatThrownBy(() -> parse("{\"allow\":true,\"a\":" + "[".repeat(60_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void damagedAnswersNeverFailInAnotherWay() {
        byte[] good = "{\"allow\":false,\"reason\":\"x\",\"ttl\":3,\"permissions\":{\"sub\":[\"/a\"]}}"
                .getBytes(StandardCharsets.UTF_8);
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = good.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            try {
                assertThat(DecisionReply.parse(damaged).answer()).isNotNull();
            } catch (IllegalArgumentException expected) {
                assertThat(expected).hasMessageMatching("(?s).+");
            }
        }
    }
}
