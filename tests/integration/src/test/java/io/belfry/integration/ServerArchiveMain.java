package io.belfry.integration;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * The process from which {@link ServerArchive} creates its archive. It starts a complete server, stops it at the end
 * of its empty input, and loads the classes that a cluster node would load.
 */
final class ServerArchiveMain {
    private ServerArchiveMain() {}

    public static void main(String[] sets) throws IOException, InterruptedException {
        ServerMain.serve(sets);
        for (String jar : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (jar.contains("kafka-clients") || jar.contains("belfry-server")) {
                load(jar);
            }
        }
    }

    private static void load(String jar) throws IOException {
        List<String> names;
        try (JarFile file = new JarFile(jar)) {
            names = file.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class") && !name.contains("-"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .toList();
        }
        for (String name : names) {
            try {
                Class.forName(name, false, ServerArchiveMain.class.getClassLoader());
            } catch (ClassNotFoundException | LinkageError lacksItsLibrary) {
                System.out.println("left out: " + lacksItsLibrary);
            }
        }
    }
}
