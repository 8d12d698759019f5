package io.belfry.server.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads private keys from PEM blocks: PKCS #8, plain or encrypted, and the older OpenSSL formats for RSA (PKCS #1) and
 * elliptic curves (SEC 1). PKCS #8 wraps these older formats. Pure.
 */
final class PrivateKeys {
    private static final byte SEQUENCE = 0x30;
    private static final byte OCTETS = 0x04;
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final int LONG_LENGTH = 0x80;

    private PrivateKeys() {}

    /** Returns the first private key among the blocks; its algorithm is that of the given public key. */
    static PrivateKey of(List<PemBlock> blocks, PublicKey other, Optional<String> password) throws TlsException {
        for (PemBlock block : blocks) {
            if (block.label().endsWith("PRIVATE KEY")) {
                return of(block, other, password);
            }
        }
        throw new TlsException("holds no private key");
    }

    private static PrivateKey of(PemBlock block, PublicKey other, Optional<String> password) throws TlsException {
        try {
            KeySpec spec = switch (block.label()) {
                case "PRIVATE KEY" -> new PKCS8EncodedKeySpec(block.der());
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" -> new PKCS8EncodedKeySpec(wrapped(block.der(), other));
                case "ENCRYPTED PRIVATE KEY" -> decrypted(block.der(), password);
                default -> throw new TlsException("holds a " + block.label() + ", which TLS cannot use");
            };
            return KeyFactory.getInstance(other.getAlgorithm()).generatePrivate(spec);
        } catch (TlsException known) {
            throw known;
        } catch (GeneralSecurityException | IOException | RuntimeException failure) {
            // For bytes that are not a key, the JDK's providers throw exceptions of many types.
            throw new TlsException(
                    "cannot be read as the " + other.getAlgorithm() + " key of the certificate", failure);
        }
    }

    /** Wraps a key in PKCS #8; algorithm and curve are copied from the public key, so they need no parsing here. */
    private static byte[] wrapped(byte[] key, PublicKey other) throws IOException {
        byte[] algorithm = firstOf(other.getEncoded());
        return element(SEQUENCE, VERSION_0, algorithm, element(OCTETS, key));
    }

    /** Returns the first element within a DER sequence, including its header. */
    private static byte[] firstOf(byte[] sequence) {
        int start = contentOf(sequence, 0);
        int content = contentOf(sequence, start);
        return Arrays.copyOfRange(sequence, start, content + lengthOf(sequence, start));
    }

    private static int contentOf(byte[] der, int element) {
        int first = der[element + 1] & 0xff;
        return element + 2 + (first < LONG_LENGTH ? 0 : first - LONG_LENGTH);
    }

    private static int lengthOf(byte[] der, int element) {
        int length = der[element + 1] & 0xff;
        if (length >= LONG_LENGTH) {
            length = 0;
            for (int i = element + 2; i < contentOf(der, element); i++) {
                length = (length << 8) | (der[i] & 0xff);
            }
        }
        return length;
    }

    private static byte[] element(byte tag, byte[]... contents) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : contents) {
            content.write(part);
        }
        ByteArrayOutputStream der = new ByteArrayOutputStream();
        der.write(tag);
        // DER requires the shortest encoding of a length.
        if (content.size() < LONG_LENGTH) {
            der.write(content.size());
        } else if (content.size() < 1 << 8) {
            der.write(LONG_LENGTH + 1);
            der.write(content.size());
        } else {
            der.write(LONG_LENGTH + 2);
            der.write(content.size() >> 8);
            der.write(content.size());
        }
        content.writeTo(der);
        return der.toByteArray();
    }

    private static KeySpec decrypted(byte[] der, Optional<String> password)
            throws GeneralSecurityException, IOException {
        if (password.isEmpty()) {
            throw new TlsException("is encrypted, but CertificateKeyPassword is not set");
        }
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
        AlgorithmParameters parameters = info.getAlgParameters();
        // With PBES2 only the parameters contain the complete name, such as PBEWithHmacSHA256AndAES_256.
        String name = info.getAlgName().startsWith("PBEWith") ? info.getAlgName() : parameters.toString();
        PBEKeySpec spec = new PBEKeySpec(password.get().toCharArray());
        SecretKey key = SecretKeyFactory.getInstance(name).generateSecret(spec);
        Cipher cipher = Cipher.getInstance(name);
        cipher.init(Cipher.DECRYPT_MODE, key, parameters);
        try {
            return info.getKeySpec(cipher);
        } catch (GeneralSecurityException wrong) {
            throw new TlsException("cannot be decrypted with CertificateKeyPassword");
        }
    }
}
