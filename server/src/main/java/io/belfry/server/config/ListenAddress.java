package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a listener. The host is a name, an IPv4 address, an IPv6 address without brackets, or {@code *} for all
 * addresses. Port 0 selects any free port. Immutable.
 */
public record ListenAddress(String host, int port) {
    static final String RULE = "must be host:port, *:port or [ipv6]:port, with a port from 0 to 65535";
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Za-z:.%]+)]|([A-Za-z0-9._-]+|\\*)):(\\d{1,5})");

    public ListenAddress {
        InvalidSetting.unless(!host.isBlank() && port >= 0 && port <= 65_535, "Listen", host + ":" + port, RULE);
    }

    /** Parses the configuration's form; errors name the key {@code keyName}. */
    static ListenAddress parse(String keyName, String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) throw refusal(keyName, text);
        String host = form.group(1) == null ? form.group(2) : form.group(1);
        boolean bracketed = form.group(1) != null;
        int port = Integer.parseInt(form.group(3));
        if (port > 65_535 || (bracketed && host.indexOf(':') < 0)) throw refusal(keyName, text);
        return new ListenAddress(host, port);
    }

    // The message contains only the wrong address, because the value of the key may be a long list.
    private static InvalidSetting refusal(String keyName, String text) {
        return new InvalidSetting(keyName, "the address " + text + " " + RULE);
    }

    /** Returns whether the listener opens on all addresses of this machine. */
    public boolean any() {
        return host.equals("*");
    }

    /** Returns whether the text is a loopback address or localhost; other names may also resolve to loopback. */
    public boolean loopback() {
        return LoopbackHost.is(host);
    }

    /** Returns the configuration's form. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
