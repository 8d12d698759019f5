package io.belfry.server.monitor;

import io.belfry.server.config.MonitorConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.rmi.NoSuchObjectException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;
import java.rmi.server.UnicastRemoteObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXPrincipal;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.net.ServerSocketFactory;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The read-only JMX connector. The RMI registry and the connector share one port of one address, so one firewall rule
 * or one tunnel is enough. RMI's own threads serve requests. Owner: the thread that starts and stops the server.
 */
final class JmxListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JmxListener.class);

    /** Name of the connector in the registry, which all JMX clients expect. */
    private static final String NAME = "jmxrmi";

    /** Classes that requests may contain: names, queries and notification filters, but no class that can carry code. */
    private static final String CALLS_FILTER = "maxdepth=20;maxrefs=10000;maxbytes=1000000;maxarray=10000;"
            + "java.lang.String;java.lang.Object;java.lang.Number;java.lang.Boolean;java.lang.Integer;java.lang.Long;"
            + "java.lang.Double;java.lang.Enum;java.util.ArrayList;java.util.Vector;java.util.Collections$*;"
            + "java.rmi.MarshalledObject;javax.management.*;javax.security.auth.Subject;!*";

    private static final String CREDENTIALS_FILTER = "maxarray=2;maxdepth=2;maxbytes=10000;java.lang.String;!*";

    private final BoundSockets sockets;
    private final Registry registry;
    private final JMXConnectorServer connector;

    private JmxListener(BoundSockets sockets, Registry registry, JMXConnectorServer connector) {
        this.sockets = sockets;
        this.registry = registry;
        this.connector = connector;
    }

    static JmxListener open(MonitorConfig config, Optional<Credentials> credentials, MBeanServer beans)
            throws IOException {
        InetSocketAddress address = new Exposure(
                        "MonitorJMX",
                        config.jmx().address(),
                        config.jmx().authentication(),
                        config.jmx().authenticationWritten(),
                        config.jmxEncryption())
                .checkedAddress();
        setProcessDefaults(address);
        Optional<ServerSocketFactory> tls =
                config.jmxEncryption() ? Optional.of(MonitorTls.of(config)) : Optional.empty();
        BoundSockets sockets = new BoundSockets(address.getAddress(), tls.orElseGet(ServerSocketFactory::getDefault));
        RMIClientSocketFactory clients = tls.isPresent() ? new SslRMIClientSocketFactory() : null;
        JmxListener listener = export(address, sockets, clients, environment(credentials), beans);
        LOG.info(
                "JMX: service:jmx:rmi:///jndi/rmi://{}:{}/{}{}",
                address.getHostString(),
                listener.port(),
                NAME,
                tls.isPresent() ? " over TLS" : "");
        return listener;
    }

    int port() {
        return sockets.port();
    }

    private static JmxListener export(
            InetSocketAddress address,
            BoundSockets sockets,
            @Nullable RMIClientSocketFactory clients,
            Map<String, Object> environment,
            MBeanServer beans)
            throws IOException {
        Registry registry = null;
        try {
            registry = LocateRegistry.createRegistry(address.getPort(), clients, sockets);
            RMIJRMPServerImpl exported = new RMIJRMPServerImpl(address.getPort(), clients, sockets, environment);
            JMXConnectorServer connector =
                    new RMIConnectorServer(new JMXServiceURL("service:jmx:rmi://"), environment, exported, beans);
            connector.setMBeanServerForwarder(ReadOnlyBeans.forwarder());
            connector.start();
            registry.rebind(NAME, exported.toStub());
            return new JmxListener(sockets, registry, connector);
        } catch (IOException e) {
            if (registry != null) {
                UnicastRemoteObject.unexportObject(registry, true);
            }
            sockets.close();
            throw new IOException("MonitorJMX.Listen: " + address + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> environment(Optional<Credentials> credentials) {
        Map<String, Object> environment = new HashMap<>();
        environment.put(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, CREDENTIALS_FILTER);
        environment.put(RMIConnectorServer.SERIAL_FILTER_PATTERN, CALLS_FILTER);
        credentials.ifPresent(known -> environment.put(JMXConnectorServer.AUTHENTICATOR, authenticator(known)));
        return environment;
    }

    private static JMXAuthenticator authenticator(Credentials known) {
        return given -> {
            if (given instanceof String[] pair
                    && pair.length == 2
                    && pair[0] != null
                    && pair[1] != null
                    && known.accept(pair[0], pair[1], clientHost())) {
                return new Subject(true, Set.of(new JMXPrincipal(pair[0])), Set.of(), Set.of());
            }
            throw new SecurityException("Authentication failed: send the monitor's username and password");
        };
    }

    private static String clientHost() {
        try {
            return RemoteServer.getClientHost();
        } catch (ServerNotActiveException e) {
            return "this process";
        }
    }

    /** Sets system properties that RMI reads once, at its first use. The operator's values stay. */
    private static void setProcessDefaults(InetSocketAddress address) {
        if (!address.getAddress().isAnyLocalAddress()) {
            // Address that RMI sends to clients; the default is the host name, which may resolve to another address.
            setDefault("java.rmi.server.hostname", address.getAddress().getHostAddress());
        }
        // Without this filter, another local user could register a connector under this name and collect passwords.
        setDefault("sun.rmi.registry.registryFilter", "!*");
        setDefault("sun.rmi.transport.tcp.maxConnectionThreads", "64");
        setDefault("sun.rmi.transport.tcp.handshakeTimeout", "10000");
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    @Override
    public void close() throws IOException {
        connector.stop();
        try {
            UnicastRemoteObject.unexportObject(registry, true);
        } catch (NoSuchObjectException e) {
            LOG.debug("the RMI registry was already closed", e);
        }
        sockets.close();
    }
}
