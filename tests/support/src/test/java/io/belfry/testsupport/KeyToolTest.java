package io.belfry.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeyToolTest {
    private static final String PASSWORD = "for-a-test-only";

    @TempDir
    private Path folder;

    private Path generate(String algorithm) {
        Path store = folder.resolve("keys.p12");
        KeyTool.run(List.of(
                "-genkeypair",
                "-keyalg",
                algorithm,
                "-alias",
                "one",
                "-dname",
                "CN=one",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        return store;
    }

    @Test
    void aGeneratedKeyIsInTheStore() throws Exception {
        KeyStore keys = KeyStore.getInstance(generate("EC").toFile(), PASSWORD.toCharArray());
        assertThat(keys.getCertificate("one").getPublicKey().getAlgorithm()).isEqualTo("EC");
    }

    @Test
    void anErrorOfKeytoolIsThrown() {
        assertThatThrownBy(() -> generate("NO-SUCH-ALGORITHM"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NO-SUCH-ALGORITHM");
    }
}
