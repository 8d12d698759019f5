package io.belfry.server.tls;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** One block of a PEM file (RFC 7468). Immutable. */
record PemBlock(String label, String base64) {
    private static final Pattern FORM = Pattern.compile(
            "-----BEGIN ([A-Z0-9 ]+)-----([^-]*+(?:-(?!----)[^-]*+)*+)-----END \\1-----", Pattern.DOTALL);

    /** Header before the base64 text of a key that OpenSSL encrypted in its old format. */
    private static final String OLD_ENCRYPTION = "Proc-Type:";

    /** Returns all blocks in file order; text outside the blocks is ignored. */
    static List<PemBlock> in(byte[] file) {
        return FORM.matcher(new String(file, StandardCharsets.ISO_8859_1))
                .results()
                .map(found -> new PemBlock(found.group(1), found.group(2)))
                .toList();
    }

    byte[] der() throws TlsException {
        if (base64.contains(OLD_ENCRYPTION)) {
            throw new TlsException(
                    "is encrypted in OpenSSL's old format; convert it with 'openssl pkcs8 -topk8 -in OLD -out NEW'");
        }
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException notBase64) {
            throw new TlsException("is damaged: invalid base64", notBase64);
        }
    }
}
