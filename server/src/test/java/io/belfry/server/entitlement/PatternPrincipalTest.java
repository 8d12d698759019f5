package io.belfry.server.entitlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PatternPrincipalTest {
    private static final int ROUNDS = 100_000;

    @Test
    void allowingAPublishAllocatesNothing() {
        Principal principal = new PatternPrincipal(
                List.of(),
                List.of("/a", "/b/*", "/c/**", "/orders/*/new"),
                false,
                2_000_000_000_000L,
                new VerificationKey(null, Algorithm.HS256, Signer.secret("x")),
                null);
        byte[] subject = "/orders/4711/new".getBytes(StandardCharsets.UTF_8);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allowed = 0;
        for (int i = 0; i < ROUNDS; i++) {
            allowed += principal.mayPublish(subject, subject.length, i) instanceof Decision.Allowed ? 1 : 0;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            allowed += principal.mayPublish(subject, subject.length, i) instanceof Decision.Allowed ? 1 : 0;
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(ROUNDS);
        assertThat(allowed).isEqualTo(2 * ROUNDS);
    }

    @Test
    void theNumberOfPatternsIsLimited() {
        List<String> many = IntStream.range(0, 257).mapToObj(i -> "/" + i).toList();
        assertThatThrownBy(() -> new PatternPrincipal(many, List.of(), false, 0, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("more than 256 patterns");
        new PatternPrincipal(many.subList(0, 256), many.subList(1, 257), false, 0, null, null);
    }

    @Test
    void onlyTheSystemPermissionCoversSubjectsOfTheServer() {
        byte[] stats = "/$node/a/stats".getBytes(StandardCharsets.UTF_8);
        Principal everything = new PatternPrincipal(List.of("/**"), List.of("/**"), false, 10, null, null);
        assertThat(everything.maySubscribe(stats, 0)).isEqualTo(Principal.NO_SYSTEM);
        Principal system = new PatternPrincipal(List.of(), List.of("/**"), true, 10, null, null);
        assertThat(system.maySubscribe(stats, 0)).isEqualTo(Decision.ALLOWED);
        assertThat(system.maySubscribe(stats, 10)).isEqualTo(Principal.TOKEN_EXPIRED);
        assertThat(system.mayPublish(stats, stats.length, 0)).isNotEqualTo(Decision.ALLOWED);
        assertThat(system.maySubscribe("/a".getBytes(StandardCharsets.UTF_8), 0))
                .isNotEqualTo(Decision.ALLOWED);
    }

    private static boolean mayPublish(Principal principal, String subject) {
        byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
        return principal.mayPublish(bytes, bytes.length, 0) instanceof Decision.Allowed;
    }

    private static Principal ofUser(@Nullable String user, String... publish) {
        return new PatternPrincipal(List.of(), List.of(publish), false, 10, null, user);
    }

    @Test
    void aPlaceholderStandsForTheUsersName() {
        Principal ada = ofUser("ada@example.com", "/users/{user}/**", "/{user}");
        assertThat(ada.user()).isEqualTo("ada@example.com");
        assertThat(mayPublish(ada, "/users/ada@example.com/x")).isTrue();
        assertThat(mayPublish(ada, "/ada@example.com")).isTrue();
        assertThat(mayPublish(ada, "/users/bob/x")).isFalse();
        assertThat(mayPublish(ada, "/users/{user}/x")).isFalse();
        assertThat(mayPublish(ofUser("{user}", "/users/{user}"), "/users/{user}"))
                .isTrue();
    }

    @Test
    void aNameThatIsNoPlainSegmentNeverWidensAPermission() {
        for (String name : List.of("*", "**", "a*", "a/b", "/", "..//", "$node", "a/**")) {
            assertThatThrownBy(() -> ofUser(name, "/users/{user}/**"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot be a segment of a subject");
            assertThat(ofUser(name, "/a").user()).isEqualTo(name);
        }
        for (String name : List.of("", "a\nb", "\u0085", "x".repeat(256), "\ud800")) {
            assertThatThrownBy(() -> ofUser(name, "/a"))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("the name of the user must");
        }
        assertThatThrownBy(() -> ofUser(null, "/users/{user}")).hasMessageContaining("needs a user");
        assertThatThrownBy(() -> ofUser("ada", "/users/u-{user}")).hasMessageContaining("whole segment");
        // The name is valid, but the subject would be too long.
        assertThatThrownBy(() -> ofUser("x".repeat(250), "/users/{user}")).hasMessageContaining("255");
    }
}
