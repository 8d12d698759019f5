package io.belfry.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsGroup;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests files that change under a running server; the test requests each check, so it does not wait. */
class TlsSwapTest {
    private static final long NEVER = 3_600_000;

    @TempDir
    private Path folder;

    private Keys first;
    private Keys second;
    private final List<TlsContext> contexts = new ArrayList<>();

    @BeforeEach
    void makeKeys() throws Exception {
        first = Keys.make(folder, "first", "-keyalg", "EC");
        second = Keys.make(folder, "second", "-keyalg", "EC", "-validity", "10");
        write(first);
    }

    private void write(Keys keys) throws Exception {
        Keys.file(folder, "certificate", keys.certificatePem());
        Keys.file(folder, "key", keys.keyPem());
    }

    private TlsConfig config(TlsConfig.Provider provider) {
        return new TlsConfig(
                Optional.of(new TlsConfig.Source.Pem(
                        folder.resolve("certificate"), folder.resolve("key"), Optional.empty())),
                provider,
                TlsConfig.ClientCertificates.NONE,
                Optional.empty(),
                TlsGroup.INTERMEDIATE,
                NEVER,
                16_384,
                0);
    }

    private Tls open(TlsConfig config) throws IOException {
        Tls tls = Tls.open(config, Instant::now);
        tls.follow(contexts::add);
        return tls;
    }

    @Test
    void onlyChangedFilesAreLoaded() throws Exception {
        for (TlsConfig.Provider provider : TlsConfig.Provider.values()) {
            onlyChangedFilesAreLoaded(provider);
        }
    }

    private void onlyChangedFilesAreLoaded(TlsConfig.Provider provider) throws Exception {
        contexts.clear();
        write(first);
        TlsConfig config = config(provider);
        try (Tls tls = open(config)) {
            tls.reconfigure(config);
            assertThat(contexts).hasSize(1);
            write(second);
            tls.reconfigure(config);
            assertThat(contexts).hasSize(2);
            assertThat(tls.expires())
                    .isEqualTo(second.certificate().getNotAfter().toInstant());
            assertThat(tls.describe()).contains("CN=second").doesNotContain("changed files rejected");
        }
    }

    @Test
    void aHalfWrittenPairIsNotLoadedUntilItIsComplete() throws Exception {
        TlsConfig config = config(TlsConfig.Provider.AUTO);
        try (Tls tls = open(config)) {
            Keys.file(folder, "certificate", second.certificatePem());
            tls.reconfigure(config);
            assertThat(tls.describe())
                    .contains("CN=first", "changed files rejected", "the key does not match the certificate");
            Keys.file(folder, "key", second.keyPem().substring(0, 60));
            tls.reconfigure(config);
            Files.delete(folder.resolve("key"));
            tls.reconfigure(config);
            assertThat(tls.describe()).contains("CN=first", "cannot be read");
            assertThat(contexts).hasSize(1);
            Keys.file(folder, "key", second.keyPem());
            tls.reconfigure(config);
            assertThat(contexts).hasSize(2);
            assertThat(tls.describe()).contains("CN=second").doesNotContain("not taken");
        }
    }

    /** An engine may be in the middle of its handshake when its context is replaced. */
    @Test
    void enginesOutliveTheirContext() throws Exception {
        TlsConfig config = config(TlsConfig.Provider.OPENSSL);
        Object engine;
        try (Tls tls = open(config)) {
            engine = contexts.getFirst().newEngine(UnpooledByteBufAllocator.DEFAULT);
            write(second);
            tls.reconfigure(config);
            TlsContext next = contexts.getLast().retain();
            Object another = next.newEngine(UnpooledByteBufAllocator.DEFAULT);
            next.release();
            ReferenceCountUtil.release(another);
        }
        assertThat(ReferenceCountUtil.refCnt(engine)).isNotZero();
        ReferenceCountUtil.release(engine);
    }
}
