package io.belfry.server.tls;

import io.belfry.testsupport.KeyTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** A key and certificate from the JDK's keytool, in every form that a file may have. Immutable. */
record Keys(Path store, PrivateKey key, X509Certificate certificate) {
    static final String PASSWORD = "for-a-test-only";

    /** Generates a key; {@code options} are passed to keytool. */
    static Keys make(Path folder, String name, String... options) throws Exception {
        Path store = folder.resolve(name + ".p12");
        List<String> line = new ArrayList<>(List.of(
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-alias",
                name,
                "-dname",
                "CN=" + name));
        line.addAll(List.of(options));
        KeyTool.run(line);
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        return new Keys(store, (PrivateKey) keys.getKey(name, PASSWORD.toCharArray()), (X509Certificate)
                keys.getCertificate(name));
    }

    String certificatePem() throws GeneralSecurityException {
        return pem("CERTIFICATE", certificate.getEncoded());
    }

    String keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    /** Returns the key in OpenSSL's older format: the content of the last element of PKCS #8. */
    String oldKeyPem(String label) {
        byte[] pkcs8 = key.getEncoded();
        int at = pkcs8.length;
        for (int i = 0; i < pkcs8.length; i++) {
            if (pkcs8[i] == 4 && i + headerBytes(pkcs8, i) + length(pkcs8, i) == pkcs8.length) {
                at = i + headerBytes(pkcs8, i);
                break;
            }
        }
        byte[] inner = java.util.Arrays.copyOfRange(pkcs8, at, pkcs8.length);
        return pem(label, inner);
    }

    private static int headerBytes(byte[] der, int at) {
        return at + 1 < der.length && der[at + 1] < 0 ? 2 + (der[at + 1] & 0x7f) : 2;
    }

    private static int length(byte[] der, int at) {
        int length = 0;
        for (int i = at + 1; i < Math.min(at + headerBytes(der, at), der.length); i++) {
            length = i == at + 1 && der[i] < 0 ? 0 : (length << 8) | (der[i] & 0xff);
        }
        return length;
    }

    String encryptedKeyPem(String password) throws GeneralSecurityException, IOException {
        String algorithm = "PBEWithHmacSHA256AndAES_256";
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
                Cipher.ENCRYPT_MODE,
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray())));
        byte[] encrypted = cipher.doFinal(key.getEncoded());
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("PBES2");
        parameters.init(cipher.getParameters().getEncoded());
        return pem("ENCRYPTED PRIVATE KEY", new EncryptedPrivateKeyInfo(parameters, encrypted).getEncoded());
    }

    static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }

    static Path file(Path folder, String name, String... texts) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", texts));
    }
}
