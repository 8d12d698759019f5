package io.belfry.server.tls;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A private key and the certificates that vouch for it, the server's own first. Immutable.
 *
 * @param chain not empty
 */
public record Identity(PrivateKey key, List<X509Certificate> chain) {
    /** A certificate that ends sooner than this is warned of. */
    private static final Duration SOON = Duration.ofDays(30);

    private static final byte[] SIGNED = {1, 2, 3};
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    public Identity {
        chain = List.copyOf(chain);
    }

    /** The certificates among the blocks of a PEM file. */
    static List<X509Certificate> certificates(List<PemBlock> blocks) throws TlsException {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (PemBlock block : blocks) {
                if (block.label().equals("CERTIFICATE")) {
                    found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der())));
                }
            }
        } catch (CertificateException notOne) {
            throw new TlsException("holds a damaged certificate", notOne);
        }
        if (found.isEmpty()) {
            throw new TlsException("holds no certificate");
        }
        return found;
    }

    private X509Certificate own() {
        return chain.getFirst();
    }

    /** Whether what the key signs is what the certificate verifies. */
    boolean matches() throws TlsException {
        PublicKey other = own().getPublicKey();
        String algorithm = SIGNATURES.get(other.getAlgorithm());
        if (algorithm == null) {
            throw new TlsException("the certificate is for " + other.getAlgorithm() + ", must be RSA, EC or EdDSA");
        }
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(SIGNED);
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(other);
            verifying.update(SIGNED);
            return verifying.verify(signing.sign());
        } catch (SignatureException doesNotFit) {
            return false;
        } catch (GeneralSecurityException failure) {
            throw new TlsException("the key cannot sign", failure);
        }
    }

    boolean isValid(Instant now) {
        return !now.isBefore(own().getNotBefore().toInstant()) && !now.isAfter(expires());
    }

    public Instant expires() {
        return own().getNotAfter().toInstant();
    }

    /** Whether somebody should be doing something about it. */
    public boolean expiresSoon(Instant now) {
        return Duration.between(now, expires()).compareTo(SOON) < 0;
    }

    /** For the log: whose it is and until when. */
    @Override
    public String toString() {
        return own().getSubjectX500Principal().getName() + ", valid from "
                + own().getNotBefore().toInstant() + " to " + expires();
    }
}
