package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a listener opens. The host is a name, an IPv4 address, an IPv6 address without its brackets, or {@code *} for
 * any address; port 0 takes any free port. Immutable.
 */
public record ListenAddress(String host, int port) {
    static final String RULE = "must be host:port, *:port or [ipv6]:port, with a port from 0 to 65535";
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Za-z:.%]+)]|([A-Za-z0-9._-]+|\\*)):(\\d{1,5})");

    public ListenAddress {
        InvalidSetting.unless(!host.isBlank() && port >= 0 && port <= 65_535, "Listen", host + ":" + port, RULE);
    }

    /** Parses the form of the configuration; {@code keyName} is the key to blame. */
    static ListenAddress parse(String keyName, String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) throw refusal(keyName, text);
        String host = form.group(1) == null ? form.group(2) : form.group(1);
        boolean bracketed = form.group(1) != null;
        int port = Integer.parseInt(form.group(3));
        if (port > 65_535 || (bracketed && host.indexOf(':') < 0)) throw refusal(keyName, text);
        return new ListenAddress(host, port);
    }

    // The address in the rule: the value of the key may be a long list.
    private static InvalidSetting refusal(String keyName, String text) {
        return new InvalidSetting(keyName, "the address " + text + " " + RULE);
    }

    /** Whether every address of this machine is meant. */
    public boolean any() {
        return host.equals("*");
    }

    /** Whether only programs on this machine can reach it, as far as the text tells. */
    public boolean loopback() {
        return LoopbackHost.is(host);
    }

    /** The form of the configuration. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
