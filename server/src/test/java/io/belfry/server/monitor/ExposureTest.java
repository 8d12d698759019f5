package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.MonitorConfig;
import io.belfry.server.counter.Counters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExposureTest {
    @TempDir
    Path folder;

    @Test
    void beyondLoopbackAuthenticationMustBeSwitchedOffExplicitly() {
        for (MonitorConfig config : List.of(
                Fixtures.http(Fixtures.EVERYWHERE, false, false), Fixtures.jmx(Fixtures.EVERYWHERE, false, false))) {
            assertThatThrownBy(() -> start(config))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("without authentication")
                    .hasMessageContaining(".Authentication = false");
        }
    }

    @Test
    void everyStartWithoutAuthenticationIsLogged() throws Exception {
        for (int start = 0; start < 2; start++) {
            try (LogCapture log = new LogCapture(Exposure.class.getName());
                    Monitor monitor = start(Fixtures.http(Fixtures.EVERYWHERE, false, true))) {
                assertThat(monitor.httpPort()).isPresent();
                assertThat(log.messages())
                        .singleElement()
                        .asString()
                        .contains("MonitorHTTP.Authentication = false")
                        .contains("without a password");
            }
        }
    }

    @Test
    void onLoopbackAuthenticationMayBeOffWithoutAWarning() throws Exception {
        for (String host : List.of("127.0.0.1", "localhost", "::1")) {
            try (LogCapture log = new LogCapture(Exposure.class.getName())) {
                exposure(host, false, false).checkedAddress();
                assertThat(log.messages()).isEmpty();
            }
        }
    }

    @Test
    void everySpellingOfTheAnyAddressIsBeyondLoopback() {
        for (String host : List.of("*", "0.0.0.0", "::", "192.0.2.1")) {
            assertThatThrownBy(() -> exposure(host, false, false).checkedAddress())
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void anUnencryptedPasswordOnTheNetworkCausesAWarning() throws Exception {
        try (LogCapture log = new LogCapture(Exposure.class.getName())) {
            exposure("192.0.2.1", true, false).checkedAddress();
            assertThat(log.messages()).singleElement().asString().contains("unencrypted");
        }
    }

    private static Exposure exposure(String host, boolean authentication, boolean written) {
        return new Exposure("MonitorJMX", new ListenAddress(host, 3000), authentication, written, false);
    }

    private Monitor start(MonitorConfig config) throws IOException {
        return Monitor.start(config, Fixtures.LOG, Fixtures.monitored(new Counters(2)), folder);
    }
}
