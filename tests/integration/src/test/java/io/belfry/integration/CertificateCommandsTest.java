package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the reports of {@code bin/belfry check} and {@code doctor} on certificates, before a server starts with them.
 */
@Tag("complete")
final class CertificateCommandsTest {
    @TempDir
    private Path folder;

    private Tool.Result run(String command, Map<String, String> environment, String... sets) {
        List<String> line =
                new ArrayList<>(List.of(TestMachine.root().resolve("bin/belfry").toString(), command));
        for (String set : sets) {
            line.addAll(List.of("--set", set));
        }
        Map<String, String> all = new TreeMap<>(environment);
        all.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        all.put("BELFRY_RUN_FOLDER", folder.toString());
        try (Tool tool = Tool.start(folder, all, line)) {
            return tool.await();
        }
    }

    @Test
    void aValidCertificateIsAcceptedAndItsPasswordHidden() throws Exception {
        SelfSigned own = SelfSigned.make("CN=somewhere", "-keyalg", "EC", "-validity", "400");
        Files.setPosixFilePermissions(own.store(), PosixFilePermissions.fromString("rw-------"));
        String[] settings = {"ListenEncrypted=*:0", "KeyStore=" + own.store()};
        Tool.Result check = run("check", Map.of("BELFRY_KEYSTOREPASSWORD", SelfSigned.PASSWORD), settings);
        assertThat(check.wellDone()).doesNotContain(SelfSigned.PASSWORD).contains("KeyStorePassword = (hidden)");
        assertThat(check.errors()).isEmpty();
        Tool.Result wrong = run("check", Map.of("BELFRY_KEYSTOREPASSWORD", "not-the-right-one"), settings);
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.errors()).contains("KeyStorePassword").doesNotContain("not-the-right-one");
    }

    @Test
    void aKeyOfAnotherCertificateIsReported() {
        String[] settings = {
            "ListenEncrypted=*:0",
            "Certificate=" + SelfSigned.make().certificate(),
            "CertificateKey=" + SelfSigned.make("CN=elsewhere", "-keyalg", "EC").key()
        };
        Tool.Result check = run("check", Map.of(), settings);
        assertThat(check.exitCode()).isEqualTo(2);
        assertThat(check.errors()).contains("the key does not match the certificate");
        Tool.Result doctor = run("doctor", Map.of(), settings);
        assertThat(doctor.exitCode()).isEqualTo(1);
        assertThat(doctor.output()).contains("SERIOUS certificate: ", "the key does not match the certificate");
    }

    @Test
    void expiryAndAWorldReadableKeyAreReported() throws Exception {
        SelfSigned soon = SelfSigned.make("CN=soon", "-keyalg", "EC", "-validity", "3");
        Files.setPosixFilePermissions(soon.key(), PosixFilePermissions.fromString("rw-r--r--"));
        Tool.Result check = run("check", Map.of(), soon.settings());
        check.wellDone();
        assertThat(check.errors()).contains("warning: ", "CN=soon", "expires soon", "chmod o= " + soon.key());
        assertThat(run("doctor", Map.of(), soon.settings()).output())
                .contains("advice  certificate: all users of this host can read the private key in " + soon.key())
                .contains("fix: chmod o= " + soon.key())
                .contains("expires soon");
        SelfSigned past = SelfSigned.make("CN=past", "-keyalg", "EC", "-startdate", "-9d", "-validity", "3");
        Tool.Result ended = run("check", Map.of(), past.settings());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.errors()).contains("CN=past", "is not valid now");
    }
}
