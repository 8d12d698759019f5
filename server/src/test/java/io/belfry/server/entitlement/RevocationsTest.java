package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.entitlement.Revocations.Revocation;
import io.belfry.server.entitlement.Revocations.Token;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RevocationsTest {
    private long now = 1000;
    private Revocations list;

    @BeforeEach
    void open() throws IOException {
        list = Revocations.open(2, () -> now, null);
    }

    @Test
    void onlyTokensIssuedBeforeTheTimeAreRevoked() throws IOException {
        assertThat(list.add(Revocation.ofUser("ada", 500, 2000))).isTrue();
        assertThat(list.revokes(Token.of("ada", null, 499L))).isTrue();
        assertThat(list.revokes(Token.of("ada", null, 500L))).isFalse();
        assertThat(list.revokes(Token.of("ada", null, null))).as("without iat").isTrue();
        assertThat(list.revokes(Token.of("bob", null, 1L))).isFalse();
        assertThat(list.revokes(Token.of(null, null, 1L))).isFalse();
    }

    @Test
    void aNameOfAUserIsNoIdOfAToken() throws IOException {
        list.add(Revocation.ofToken("ada", 2000));
        assertThat(list.revokes(Token.of("ada", null, 1L))).isFalse();
        assertThat(list.revokes(Token.of("bob", "ada", 1L))).isTrue();
    }

    @Test
    void anEntryEndsAndMakesRoom() throws IOException {
        list.add(Revocation.ofUser("ada", 500, 2000));
        list.add(Revocation.ofUser("bob", 500, 3000));
        assertThat(list.add(Revocation.ofUser("eve", 500, 3000))).isFalse();
        now = 2000;
        assertThat(list.revokes(Token.of("ada", null, 1L))).isFalse();
        assertThat(list.add(Revocation.ofUser("eve", 500, 3000))).isTrue();
        assertThat(list.size()).isEqualTo(2);
    }

    @Test
    void aRepeatedCallRevokesNoLessThanBefore() throws IOException {
        list.add(Revocation.ofUser("ada", 500, 2000));
        list.add(Revocation.ofUser("ada", 400, 1500));
        assertThat(list.revokes(Token.of("ada", null, 499L))).isTrue();
        now = 1999;
        assertThat(list.revokes(Token.of("ada", null, 499L))).isTrue();
    }

    @Test
    void aPrincipalEndsWithItsTokenAndStaysEnded() throws IOException {
        Token token = Token.of("ada", null, 1L);
        Principal principal =
                new RevocablePrincipal(List.of("/**"), List.of(), false, Principal.NEVER, null, token, list);
        assertThat(principal.ended(now)).isNull();
        list.add(Revocation.ofAll(500, 2000));
        assertThat(principal.isWithdrawn()).isTrue();
        assertThat(principal.ended(now)).isEqualTo(RevocablePrincipal.REVOKED);
        now = 2000;
        assertThat(principal.isWithdrawn()).isTrue();
    }
}
