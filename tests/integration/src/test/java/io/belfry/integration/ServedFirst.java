package io.belfry.integration;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * The process of which {@link ServedArchive} makes its archive: a server that starts with all it has and stops at the end of its
 * empty input, and the classes that it would load with brokers.
 */
final class ServedFirst {
    private ServedFirst() {}

    public static void main(String[] sets) throws IOException, InterruptedException {
        ServedHere.serve(sets);
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
                Class.forName(name, false, ServedFirst.class.getClassLoader());
            } catch (ClassNotFoundException | LinkageError lacksItsLibrary) {
                System.out.println("left out: " + lacksItsLibrary);
            }
        }
    }
}
