package io.belfry.server.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class WebhookSecretsTest {
    /** The example of the libraries of Standard Webhooks. */
    @Test
    void theSignatureIsThatOfStandardWebhooks() {
        WebhookSecrets secrets = new WebhookSecrets(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        byte[] body = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
        assertThat(secrets.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assertThat(secrets.toString()).isEqualTo("1 secrets");
    }
}
