package io.belfry.settings;

/** The source of a value; {@code toString} is worded so that a user can find the place to change. Immutable. */
public sealed interface Origin {
    /** A line of a configuration file. */
    record FileLine(String file, int line) implements Origin {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }

    /** An environment variable. */
    record Environment(String variable) implements Origin {
        @Override
        public String toString() {
            return "environment variable " + variable;
        }
    }

    /** An option {@code --set} on the command line. */
    record CommandLine() implements Origin {
        @Override
        public String toString() {
            return "--set";
        }
    }

    /** The default, where no source has a value. */
    record Default() implements Origin {
        @Override
        public String toString() {
            return "default";
        }
    }
}
