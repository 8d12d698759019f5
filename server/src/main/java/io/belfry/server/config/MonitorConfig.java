package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Settings of the monitor. Immutable; its text never contains secrets. */
public record MonitorConfig(
        Endpoint jmx,
        boolean jmxEncryption,
        Endpoint http,
        String username,
        Optional<String> password,
        Optional<Path> passwordFile,
        Optional<Path> keyStore,
        Optional<String> keyStorePassword,
        List<TlsGroup> tlsGroups,
        ConsoleConfig console) {
    /**
     * One way to read the monitor. Beyond loopback, it opens without authentication only if the configuration disables
     * authentication explicitly.
     *
     * @param open whether the endpoint is opened
     * @param authenticationWritten whether the configuration sets the authentication key
     */
    public record Endpoint(
            boolean open, ListenAddress address, boolean authentication, boolean authenticationWritten) {}

    public MonitorConfig {
        tlsGroups = List.copyOf(tlsGroups);
        // RFC 7617: a colon ends the user name.
        InvalidSetting.unless(
                username.matches("[^:\\p{Cntrl}]+"), "MonitorUsername", username, "must not contain a colon");
        if (password.isPresent() && passwordFile.isPresent()) {
            throw new InvalidSetting("MonitorPassword", "conflicts with MonitorPasswordFile; set only one of them");
        }
        if (keyStorePassword.isPresent() && keyStore.isEmpty()) {
            throw new InvalidSetting("KeyStorePassword", "needs KeyStore");
        }
        InvalidSetting.unless(
                !jmx.open() || !jmxEncryption || keyStore.isPresent(), "MonitorJMX.Encryption", true, "needs KeyStore");
        InvalidSetting.unless(
                !jmx.open()
                        || !http.open()
                        || jmx.address().port() == 0
                        || !jmx.address().equals(http.address()),
                "MonitorHTTP.Listen",
                http.address(),
                "must differ from MonitorJMX.Listen; use another port");
    }

    /** Returns the port of the console's pages, or 0 if there are none. */
    public int consolePort() {
        return http.open() && console.open() ? http.address().port() : 0;
    }

    @Override
    public String toString() {
        return "MonitorConfig[jmx=" + jmx + ", jmxEncryption=" + jmxEncryption + ", http=" + http + ", username="
                + username + ", password=" + Secrets.shown(password) + ", passwordFile=" + passwordFile + ", keyStore="
                + keyStore + ", keyStorePassword=" + Secrets.shown(keyStorePassword) + ", tlsGroups="
                + tlsGroups + ", console=" + console + "]";
    }
}
