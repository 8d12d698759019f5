package io.belfry.integration;

import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Virtual environments of Python with packages, kept until a clean build. Immutable. */
final class PythonVenv {
    private static final String HOW_TO_INSTALL = "Debian: apt install python3 python3-venv";

    private PythonVenv() {}

    /** Returns the path of python3; skips the test without one that is at least {@code major.minor}. */
    static String system(int major, int minor) {
        String python = RequiredPrograms.require(HOW_TO_INSTALL, "python3");
        String check = "import sys; sys.exit(sys.version_info < (" + major + ", " + minor + "))";
        return Tool.run(python, "-c", check).exitCode() == 0
                ? python
                : RequiredPrograms.skip("python3 is older than " + major + "." + minor);
    }

    /**
     * Returns the python of an environment that has these packages; {@code versions} is a file with their versions.
     * Without packages the environment has all of that file.
     */
    static String with(String name, Path versions, String... packages) throws IOException {
        Path environment = TestMachine.target().resolve(name);
        Path installed = environment.resolve("installed.txt");
        String python = environment.resolve("bin/python").toString();
        if (!Files.exists(installed) || Files.mismatch(versions, installed) >= 0) {
            String system = RequiredPrograms.require(HOW_TO_INSTALL, "python3");
            if (Tool.run(system, "-c", "import venv, ensurepip").exitCode() != 0) {
                RequiredPrograms.skip("python3 has no venv; to install it: Debian: apt install python3-venv");
            }
            Tool.run(system, "-m", "venv", environment.toString()).wellDone();
            List<String> install = new ArrayList<>(List.of(python, "-m", "pip", "install", "--quiet"));
            // Most modules are never imported, so compiling all of them costs more than it saves.
            install.addAll(List.of("--no-compile", "--disable-pip-version-check"));
            install.addAll(List.of(packages.length == 0 ? "-r" : "-c", versions.toString()));
            install.addAll(List.of(packages));
            if (Tool.run(install.toArray(String[]::new)).exitCode() != 0) {
                RequiredPrograms.skip("pip cannot install the packages of " + versions.getFileName());
            }
            Files.copy(versions, installed, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        return python;
    }
}
