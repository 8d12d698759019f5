package io.belfry.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsGroup;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs handshakes in memory with a JDK client that offers a single group. */
class TlsGroupsTest {
    private static final int RECORD_BYTES = 1 << 16;
    private static final String[] PROVIDERS = {"openssl", "jdk"};

    @TempDir
    private static Path folder;

    private static Keys curve;
    private static Keys rsa;
    private static SSLContext clients;

    @BeforeAll
    static void makeKeys() throws Exception {
        curve = Keys.make(folder, "curve", "-keyalg", "EC", "-groupname", "secp256r1");
        rsa = Keys.make(folder, "rsa", "-keyalg", "RSA", "-keysize", "2048");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("curve", curve.certificate());
        trusted.setCertificateEntry("rsa", rsa.certificate());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        clients = SSLContext.getInstance("TLS");
        clients.init(null, trust.getTrustManagers(), null);
    }

    @BeforeEach
    void useTheCurve() throws Exception {
        use(curve);
    }

    private static void use(Keys keys) throws Exception {
        Keys.file(folder, "certificate", keys.certificatePem());
        Keys.file(folder, "key", keys.keyPem());
    }

    private static TlsConfig config(String provider, String... more) {
        List<String> sets = new ArrayList<>(List.of(
                "ListenEncrypted=127.0.0.1:0",
                "Certificate=" + folder.resolve("certificate"),
                "CertificateKey=" + folder.resolve("key"),
                "Tls.Provider=" + provider));
        sets.addAll(List.of(more));
        return ConfigLoader.load(Optional.empty(), Map.of(), sets).network().tls();
    }

    @Test
    void aClientWithOnlySecp521r1IsRefusedByDefault() throws Exception {
        for (String provider : PROVIDERS) {
            assertRefused(config(provider), "TLSv1.3", "secp521r1");
            assertAccepted(config(provider, "Tls.Groups=secp256r1, P-521"), "TLSv1.3", "secp521r1");
            // Below TLS 1.3 the curve of the certificate must also be among the groups.
            use(rsa);
            assertRefused(config(provider), "TLSv1.2", "secp521r1");
            assertAccepted(config(provider, "Tls.Groups=secp521r1"), "TLSv1.2", "secp521r1");
            use(curve);
        }
    }

    @Test
    void aClientWithOnlyX448IsRefusedByDefault() throws Exception {
        assertRefused(config("openssl"), "TLSv1.3", "x448");
        assertRefused(config("jdk"), "TLSv1.3", "x448");
        assertAccepted(config("jdk", "Tls.Groups=X25519, x448"), "TLSv1.3", "x448");
    }

    @Test
    void eachGroupOfTheIntermediateProfileIsAccepted() throws Exception {
        use(rsa);
        for (String provider : PROVIDERS) {
            for (TlsGroup group : TlsGroup.INTERMEDIATE) {
                assertAccepted(config(provider), "TLSv1.3", group.standardName());
                assertAccepted(config(provider), "TLSv1.2", group.standardName());
            }
        }
    }

    @Test
    void anUnsupportedGroupIsReportedByName() {
        for (String provider : new String[] {"openssl", "auto"}) {
            assertThatExceptionOfType(TlsException.class)
                    .isThrownBy(() -> Tls.check(config(provider, "Tls.Groups=X448"), InstantSource.system()))
                    .withMessage(
                            "Tls.Groups = X448: BoringSSL does not support it; remove it or set Tls.Provider = jdk");
        }
    }

    @Test
    void aReloadWidensTheGroupsForNewConnections() throws Exception {
        for (String provider : PROVIDERS) {
            List<TlsContext> contexts = new ArrayList<>();
            try (Tls tls = Tls.open(config(provider), InstantSource.system())) {
                tls.follow(contexts::add);
                tls.reconfigure(config(provider, "Tls.Groups=secp521r1"));
                assertThat(contexts).hasSize(2);
                assertThat(handshake(contexts.getLast(), "TLSv1.3", "secp521r1"))
                        .isEqualTo("TLSv1.3");
            }
        }
    }

    private static void assertAccepted(TlsConfig config, String version, String... offered) throws Exception {
        assertThat(handshake(config, version, offered)).isEqualTo(version);
    }

    private static void assertRefused(TlsConfig config, String version, String... offered) {
        assertThatExceptionOfType(SSLException.class).isThrownBy(() -> handshake(config, version, offered));
    }

    /** Returns the negotiated version. */
    private static String handshake(TlsConfig config, String version, String... offered) throws Exception {
        List<TlsContext> contexts = new ArrayList<>();
        try (Tls tls = Tls.open(config, InstantSource.system())) {
            tls.follow(contexts::add);
            return handshake(contexts.getFirst(), version, offered);
        }
    }

    private static String handshake(TlsContext context, String version, String... offered) throws SSLException {
        SSLEngine client = clients.createSSLEngine();
        client.setUseClientMode(true);
        SSLParameters parameters = client.getSSLParameters();
        parameters.setProtocols(new String[] {version});
        parameters.setNamedGroups(offered);
        client.setSSLParameters(parameters);
        SSLEngine server = context.newEngine(UnpooledByteBufAllocator.DEFAULT);
        try {
            run(client, server);
            return client.getSession().getProtocol();
        } finally {
            ReferenceCountUtil.release(server);
        }
    }

    private static void run(SSLEngine client, SSLEngine server) throws SSLException {
        ByteBuffer toServer = ByteBuffer.allocateDirect(RECORD_BYTES);
        ByteBuffer toClient = ByteBuffer.allocateDirect(RECORD_BYTES);
        client.beginHandshake();
        server.beginHandshake();
        for (int round = 0; round < 20; round++) {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
        }
        assertThat(client.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        assertThat(server.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
    }

    /** Reads and writes as much of the handshake as this side can at the moment. */
    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        in.flip();
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer data = ByteBuffer.allocate(RECORD_BYTES);
        boolean moves = true;
        while (moves) {
            tasks(engine);
            SSLEngineResult.HandshakeStatus status = engine.getHandshakeStatus();
            // BoringSSL completes its handshake in a call without input.
            SSLEngineResult result =
                    status == HandshakeStatus.NEED_WRAP ? engine.wrap(none, out) : engine.unwrap(in, data);
            moves = result.bytesConsumed() > 0 || result.bytesProduced() > 0;
        }
        in.compact();
    }

    private static void tasks(SSLEngine engine) {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }
}
