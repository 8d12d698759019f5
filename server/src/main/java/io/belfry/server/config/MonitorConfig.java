package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How the server is watched. The {@code ...Written} parts tell whether somebody wrote the authentication key down or it
 * is the default: beyond loopback, a listener opens without authentication only where that is written. Immutable;
 * secrets are never shown.
 */
public record MonitorConfig(
        boolean jmx,
        boolean http,
        ListenAddress jmxListen,
        boolean jmxAuthentication,
        boolean jmxEncryption,
        boolean jmxAuthenticationWritten,
        ListenAddress httpListen,
        boolean httpAuthentication,
        boolean httpAuthenticationWritten,
        String username,
        Optional<String> password,
        Optional<Path> passwordFile,
        Optional<Path> keyStore,
        Optional<String> keyStorePassword) {
    public MonitorConfig {
        // RFC 7617: a colon ends the user's name.
        InvalidSetting.unless(
                username.matches("[^:\\p{Cntrl}]+"), "MonitorUsername", username, "must not hold a colon");
        if (password.isPresent() && passwordFile.isPresent()) {
            throw new InvalidSetting("MonitorPassword", "stands beside MonitorPasswordFile; keep one of them");
        }
        if (keyStorePassword.isPresent() && keyStore.isEmpty()) {
            throw new InvalidSetting("KeyStorePassword", "stands without KeyStore");
        }
        InvalidSetting.unless(
                !jmx || !jmxEncryption || keyStore.isPresent(), "MonitorJMX.Encryption", true, "needs KeyStore");
        InvalidSetting.unless(
                !jmx || !http || jmxListen.port() == 0 || !jmxListen.equals(httpListen),
                "MonitorHTTP.Listen",
                httpListen,
                "is the address of MonitorJMX.Listen already");
    }

    @Override
    public String toString() {
        return "MonitorConfig[jmx=" + jmx + ", http=" + http + ", jmxListen=" + jmxListen + ", jmxAuthentication="
                + jmxAuthentication + ", jmxEncryption=" + jmxEncryption + ", jmxAuthenticationWritten="
                + jmxAuthenticationWritten + ", httpListen=" + httpListen + ", httpAuthentication="
                + httpAuthentication + ", httpAuthenticationWritten=" + httpAuthenticationWritten + ", username="
                + username + ", password=" + Secrets.shown(password) + ", passwordFile=" + passwordFile + ", keyStore="
                + keyStore + ", keyStorePassword=" + Secrets.shown(keyStorePassword) + "]";
    }
}
