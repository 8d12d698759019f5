package io.belfry.microbench;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Entitlements;
import io.belfry.server.entitlement.Principal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a token: its verification, once per client (for public keys including the switch to the verifying thread and
 * back), and the permission check of each publish.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TokenBenchmark {
    private static final String SECRET = "a-secret-of-benchmarks-of-32-bytes-or-more";
    private static final String CLAIMS =
            "{\"exp\":4000000000,\"permissions\":{\"sub\":[\"/prices/**\"],\"pub\":[\"/a/*\",\"/b/*\",\"/orders/*/new\"]}}";

    @Param({"HS256", "RS256", "ES256", "EdDSA"})
    String algorithm;

    private Entitlement entitlement;
    private String token;
    private Principal principal;
    private final byte[] subject = "/orders/4711/new".getBytes(StandardCharsets.UTF_8);
    private final SynchronousQueue<Entitlement.Answer> answers = new SynchronousQueue<>();

    @Setup(Level.Trial)
    public void sign() throws GeneralSecurityException, IOException, InterruptedException {
        String signed = base64("{\"alg\":\"" + algorithm + "\"}") + "." + base64(CLAIMS);
        byte[] bytes = signed.getBytes(StandardCharsets.US_ASCII);
        String set;
        if (algorithm.equals("HS256")) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HMAC"));
            token = signed + "." + base64(mac.doFinal(bytes));
            set = "Jwt.Secret=" + SECRET;
        } else {
            KeyPair pair = pair();
            Signature signature = Signature.getInstance(
                    switch (algorithm) {
                        case "RS256" -> "SHA256withRSA";
                        case "ES256" -> "SHA256withECDSAinP1363Format";
                        default -> "Ed25519";
                    });
            signature.initSign(pair.getPrivate());
            signature.update(bytes);
            token = signed + "." + base64(signature.sign());
            Path file = Files.createTempFile("key", ".pem");
            file.toFile().deleteOnExit();
            Files.writeString(
                    file,
                    "-----BEGIN PUBLIC KEY-----\n"
                            + Base64.getMimeEncoder()
                                    .encodeToString(pair.getPublic().getEncoded())
                            + "\n-----END PUBLIC KEY-----\n");
            set = "Jwt.PublicKey=" + file;
        }
        entitlement = Entitlements.start(
                ConfigLoader.load(Optional.empty(), Map.of(), List.of("Entitlement=JWT", set))
                        .entitlement(),
                System::currentTimeMillis,
                () -> {});
        principal = ((Entitlement.Answer.Accepted) verify()).principal();
    }

    private KeyPair pair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(
                switch (algorithm) {
                    case "RS256" -> "RSA";
                    case "ES256" -> "EC";
                    default -> "Ed25519";
                });
        if (algorithm.equals("ES256")) {
            generator.initialize(new ECGenParameterSpec("secp256r1"));
        }
        return generator.generateKeyPair();
    }

    private static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @TearDown
    public void close() {
        entitlement.close();
    }

    @Benchmark
    public Entitlement.Answer verify() throws InterruptedException {
        Entitlement.Answer[] now = new Entitlement.Answer[1];
        Thread asking = Thread.currentThread();
        entitlement.decide(new Entitlement.Credentials(token, false), answer -> {
            if (Thread.currentThread() == asking) {
                now[0] = answer;
            } else {
                hand(answer);
            }
        });
        return now[0] != null ? now[0] : answers.take();
    }

    private void hand(Entitlement.Answer answer) {
        try {
            answers.put(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Checks a subject that only the last of three patterns allows. */
    @Benchmark
    public Decision mayPublish() {
        return principal.mayPublish(subject, subject.length, 1_700_000_000_000L);
    }
}
