package io.belfry.server.entitlement;

import io.belfry.server.config.SecretFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys from their file formats. Stateless. Error messages never quote the content, because it may be a secret.
 */
final class KeyReader {
    /** Maximum number of keys in a set; a token without a key id is tried with each key of its algorithm. */
    private static final int KEYS_MAX = 64;

    private static final int FILE_BYTES_MAX = 1 << 20;
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN (PUBLIC KEY|CERTIFICATE)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    /** The algorithm of keys that name none, or null for the default of their kind. */
    private final @Nullable Algorithm wanted;

    KeyReader(@Nullable Algorithm wanted) {
        this.wanted = wanted;
    }

    List<VerificationKey> secret(String text) throws IOException {
        return List.of(
                keyOf("the secret", null, new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HMAC"), null));
    }

    List<VerificationKey> secretFile(Path file) throws IOException {
        return secret(SecretFiles.firstLine("the file of Jwt.SecretFile", file));
    }

    /** Returns each public key and certificate in the file; other text is ignored. */
    List<VerificationKey> pem(Path file) throws IOException {
        List<VerificationKey> keys = new ArrayList<>();
        Matcher blocks = PEM.matcher(text(file));
        while (blocks.find()) {
            byte[] der = Base64.getMimeDecoder().decode(blocks.group(2));
            PublicKey key = blocks.group(1).equals("CERTIFICATE") ? certified(file, der) : publicKey(file, der);
            keys.add(keyOf(file.toString(), null, key, null));
        }
        if (keys.isEmpty()) {
            throw new IOException(file + " contains neither PUBLIC KEY nor CERTIFICATE");
        }
        return keys;
    }

    private static PublicKey publicKey(Path file, byte[] der) throws IOException {
        for (String kind : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // The next kind is tried.
            }
        }
        throw new IOException(file + " has a public key that is not RSA, EC or EdDSA");
    }

    private static PublicKey certified(Path file, byte[] der) throws IOException {
        try {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(der))
                    .getPublicKey();
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has a certificate that cannot be read", e);
        }
    }

    List<VerificationKey> jwksFile(Path file) throws IOException {
        return jwks(file.toString(), text(file));
    }

    /** Returns the keys of a set. Keys of unsupported kinds and uses are ignored, as RFC 7517 requires. */
    List<VerificationKey> jwks(String where, String json) throws IOException {
        List<VerificationKey> keys = new ArrayList<>();
        for (JsonWebKey each : parsed(where, json)) {
            boolean forSignatures = each.getUse() == null || each.getUse().equals("sig");
            Key key = each instanceof PublicJsonWebKey pair ? pair.getPublicKey() : each.getKey();
            Algorithm algorithm = each.getAlgorithm() == null ? unnamed(key) : Algorithm.of(each.getAlgorithm());
            if (forSignatures && algorithm != null) {
                keys.add(keyOf(where, each.getKeyId(), key, algorithm));
            }
        }
        if (keys.isEmpty() || keys.size() > KEYS_MAX) {
            throw new IOException(where + " has " + keys.size() + " keys for signatures; allowed are 1 to " + KEYS_MAX);
        }
        return keys;
    }

    private @Nullable Algorithm unnamed(Key key) {
        return wanted != null && wanted.problemWith(key) == null ? wanted : Algorithm.usualOf(key);
    }

    private static List<JsonWebKey> parsed(String where, String json) throws IOException {
        try {
            return new JsonWebKeySet(json).getJsonWebKeys();
        } catch (JoseException | RuntimeException e) {
            throw new IOException(where + " is not a JSON web key set");
        }
    }

    private VerificationKey keyOf(String where, @Nullable String id, Key key, @Nullable Algorithm named)
            throws IOException {
        Algorithm algorithm = named != null ? named : wanted != null ? wanted : Algorithm.usualOf(key);
        String problem = algorithm == null ? "no algorithm is known for this key" : algorithm.problemWith(key);
        if (algorithm == null || problem != null) {
            throw new IOException(where + (id == null ? "" : ", key " + printable(id)) + ": " + problem);
        }
        return new VerificationKey(id, algorithm, key);
    }

    private static String printable(String id) {
        return id.replaceAll("[^A-Za-z0-9._~+/=-]", "?");
    }

    private static String text(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException(file + " is not a readable file of at most " + FILE_BYTES_MAX + " bytes");
        }
        return Files.readString(file);
    }
}
