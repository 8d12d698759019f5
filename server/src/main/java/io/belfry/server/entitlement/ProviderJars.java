package io.belfry.server.entitlement;

import io.belfry.spi.entitlement.EntitlementProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds a provider in the jars of a folder, or on the server's own class path. Jars of a folder see the JDK, the provider
 * interface and SLF4J only; their libraries are in the same folder, so that they never conflict with the server's.
 */
final class ProviderJars implements AutoCloseable {
    private static final List<String> SHARED = List.of("io.belfry.spi.", "org.slf4j.", "org.jspecify.");

    private final ClassLoader loader;
    private final String place;

    private ProviderJars(ClassLoader loader, String place) {
        this.loader = loader;
        this.place = place;
    }

    static ProviderJars open(Optional<Path> folder) throws IOException {
        if (folder.isEmpty()) {
            return new ProviderJars(ProviderJars.class.getClassLoader(), "the class path");
        }
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.get())) {
            for (Path file : files.filter(each -> each.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                jars.add(file.toUri().toURL());
            }
        }
        ClassLoader shared = new Shared(ProviderJars.class.getClassLoader());
        return new ProviderJars(
                new URLClassLoader(jars.toArray(URL[]::new), shared),
                folder.get().toString());
    }

    /** Returns the only provider; two providers are an error, because it would be undefined which one decides. */
    EntitlementProvider only() throws IOException {
        List<EntitlementProvider> found = new ArrayList<>();
        try {
            ServiceLoader.load(EntitlementProvider.class, loader).forEach(found::add);
        } catch (ServiceConfigurationError e) {
            throw new IOException("the entitlement provider in " + place + " cannot be loaded: " + e.getMessage(), e);
        }
        if (found.size() != 1) {
            throw new IOException("Entitlement = Custom needs one " + EntitlementProvider.class.getName() + " in "
                    + place + ", but found " + found.size() + "; set Entitlement.Folder to the folder of its jar");
        }
        return found.getFirst();
    }

    @Override
    public void close() throws IOException {
        if (loader instanceof URLClassLoader jars) {
            jars.close();
        }
    }

    /** Loads the classes that jars share with the server. */
    private static final class Shared extends ClassLoader {
        private final @Nullable ClassLoader server;

        Shared(@Nullable ClassLoader server) {
            super(getPlatformClassLoader());
            this.server = server;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (server != null && SHARED.stream().anyMatch(name::startsWith)) {
                return server.loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
