package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TokenEntitlementTest {
    private static final byte[] SUBJECT = {'/', 'a'};

    private static Entitlement.Answer decide(Entitlement entitlement, @Nullable String token, boolean loopback) {
        List<Entitlement.Answer> answers = new ArrayList<>();
        entitlement.decide(new Entitlement.Credentials(token, loopback), answers::add);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private static Principal accepted(Entitlement.Answer answer) {
        return ((Entitlement.Answer.Accepted) answer).principal();
    }

    private static void assertMayNotPublish(Principal principal, String because) {
        assertThat(principal.mayPublish(SUBJECT, SUBJECT.length, 0))
                .isInstanceOfSatisfying(Decision.Denied.class, no -> {
                    assertThat(no.code()).isEqualTo(Code.PUBLISH_DENIED);
                    assertThat(no.reason()).contains(because);
                });
        assertThat(principal.maySubscribe(SUBJECT, 0)).isEqualTo(Decision.ALLOWED);
    }

    @Test
    void withoutAConfiguredTokenOnlyLoopbackMayPublish() {
        Entitlement entitlement = new TokenEntitlement(Optional.empty());
        assertThat(accepted(decide(entitlement, null, true)).mayPublish(SUBJECT, SUBJECT.length, 0))
                .isEqualTo(Decision.ALLOWED);
        assertMayNotPublish(accepted(decide(entitlement, null, false)), "EntitlementAllowToken");
        assertMayNotPublish(accepted(decide(entitlement, "", false)), "EntitlementAllowToken");
    }

    @Test
    void subjectsOfTheServerNeedWhatPublishingNeeds() {
        byte[] stats = {'/', '$', 'a'};
        Entitlement withoutToken = new TokenEntitlement(Optional.empty());
        assertThat(accepted(decide(withoutToken, null, true)).maySubscribe(stats, 0))
                .isEqualTo(Decision.ALLOWED);
        Entitlement withToken = new TokenEntitlement(Optional.of("secret"));
        assertThat(accepted(decide(withToken, "secret", false)).maySubscribe(stats, 0))
                .isEqualTo(Decision.ALLOWED);
        for (Principal reader :
                List.of(accepted(decide(withoutToken, null, false)), accepted(decide(withToken, null, true)))) {
            assertThat(reader.maySubscribe(stats, 0))
                    .isInstanceOfSatisfying(
                            Decision.Denied.class, no -> assertThat(no.code()).isEqualTo(Code.SUBSCRIBE_DENIED));
        }
    }

    @Test
    void loopbackClientsNeedAConfiguredTokenToo() {
        Entitlement entitlement = new TokenEntitlement(Optional.of("secret"));
        assertMayNotPublish(accepted(decide(entitlement, null, true)), "token");
        assertThat(accepted(decide(entitlement, "secret", false)).mayPublish(SUBJECT, SUBJECT.length, 0))
                .isEqualTo(Decision.ALLOWED);
    }

    @Test
    void aWrongTokenIsRejected() {
        Entitlement entitlement = new TokenEntitlement(Optional.of("secret"));
        for (String wrong : List.of("", "Secret", "secret ", "secre", "secrets")) {
            assertThat(decide(entitlement, wrong, true)).isInstanceOf(Entitlement.Answer.Rejected.class);
        }
    }

    @Test
    void withoutEntitlementEverythingIsAllowed() {
        Principal anyone = accepted(decide(new OpenEntitlement(), "whatever", false));
        assertThat(anyone.mayPublish(SUBJECT, SUBJECT.length, 0)).isEqualTo(Decision.ALLOWED);
        assertThat(anyone.maySubscribe(SUBJECT, 0)).isEqualTo(Decision.ALLOWED);
    }
}
