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
 * Holds a private key and its certificate chain; the server's own certificate is the first element. Immutable.
 *
 * @param chain certificates, not empty
 */
public record Identity(PrivateKey key, List<X509Certificate> chain) {
    /** Time before its expiry from which a certificate is reported as expiring soon. */
    private static final Duration SOON = Duration.ofDays(30);

    private static final byte[] SIGNED = {1, 2, 3};
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    public Identity {
        chain = List.copyOf(chain);
    }

    /** Returns the certificates among the blocks of a PEM file. */
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

    /** Returns whether the public key of the certificate verifies signatures made with the private key. */
    boolean matches() throws TlsException {
        PublicKey other = own().getPublicKey();
        String algorithm = SIGNATURES.get(other.getAlgorithm());
        if (algorithm == null) {
            throw new TlsException(
                    "the certificate has a key of type " + other.getAlgorithm() + "; use RSA, EC or EdDSA");
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

    /** Returns the time at which the server's own certificate expires. */
    public Instant expires() {
        return own().getNotAfter().toInstant();
    }

    /** Returns whether the certificate expires within 30 days, so that the operator should renew it. */
    public boolean expiresSoon(Instant now) {
        return Duration.between(now, expires()).compareTo(SOON) < 0;
    }

    /** Returns the subject and the validity period of the certificate, for the log. */
    @Override
    public String toString() {
        return own().getSubjectX500Principal().getName() + ", valid from "
                + own().getNotBefore().toInstant() + " to " + expires();
    }
}
