# shellcheck shell=sh
# Shared by the programs in bin/: finds a JDK and builds missing jars. POSIX sh; sourced, not executed.
# The caller sets `home`, the folder above bin/, and `program`, its name in messages.

: "${home:?}" "${program:?}"

java_needed=25

say() {
    printf '%s: %s\n' "$program" "$*" >&2
}

fail() {
    say "$@"
    exit 1
}

# Prints the feature version, such as 25, of the JDK in a folder, or nothing if the folder has no JDK.
java_feature() {
    [ -x "$1/bin/java" ] || return 0
    if [ -r "$1/release" ]; then
        # Does not start a JVM, because every command calls this function first.
        sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
    else
        "$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
    fi
}

java_fits() {
    feature=$(java_feature "$1")
    [ -n "$feature" ] && [ "$feature" -ge "$java_needed" ]
}

# Prints every folder that may contain a JDK, one per line, preferred folders first.
java_candidates() {
    [ -z "${JAVA_HOME:-}" ] || printf '%s\n' "$JAVA_HOME"
    if command -v java >/dev/null 2>&1; then
        on_path=$(readlink -f "$(command -v java)" 2>/dev/null || command -v java)
        printf '%s\n' "${on_path%/bin/java}"
    fi
    for candidate in /usr/lib/jvm/* /opt/java* /opt/java/* /opt/jdk* \
        "${HOME:-/root}"/.sdkman/candidates/java/* "${HOME:-/root}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        [ -x "$candidate/bin/java" ] && printf '%s\n' "$candidate"
    done
    return 0
}

# Sets `java` to a Java that is new enough, or exits with an error that names the places searched.
find_java() {
    if [ -n "${BELFRY_JAVA_HOME:-}" ]; then
        java_fits "$BELFRY_JAVA_HOME" \
            || fail "BELFRY_JAVA_HOME=$BELFRY_JAVA_HOME is not a JDK $java_needed or later$(java_found "$BELFRY_JAVA_HOME")"
        java=$BELFRY_JAVA_HOME/bin/java
        return
    fi
    java=$(java_candidates | while IFS= read -r candidate; do
        if java_fits "$candidate"; then
            printf '%s\n' "$candidate/bin/java"
            break
        fi
    done)
    [ -n "$java" ] && return
    say "no JDK $java_needed or later found; searched BELFRY_JAVA_HOME, JAVA_HOME, PATH and the usual folders:"
    java_candidates | sort -u | while IFS= read -r candidate; do
        printf '  %s%s\n' "$candidate" "$(java_found "$candidate")" >&2
    done
    fail "install one (Debian: apt install openjdk-$java_needed-jdk, or Eclipse Temurin), or set BELFRY_JAVA_HOME to it"
}

java_found() {
    feature=$(java_feature "$1")
    [ -z "$feature" ] || printf ' (Java %s)' "$feature"
}

# jar_of MODULE: prints the module's jar, or nothing if the module is not built.
jar_of() {
    for jar in "$home/$1/target/belfry-$1.jar" "$home/$1/target/belfry-$1"-[0-9]*.jar; do
        case $jar in
            *-sources.jar | *-tests.jar | *-javadoc.jar) ;;
            *) [ ! -f "$jar" ] || { printf '%s\n' "$jar" && return; } ;;
        esac
    done
}

# class_path_of MODULE: prints the module's class path. The manifest of the server's jar lists its libraries; other modules use lib/*.
class_path_of() {
    jar=$(jar_of "$1")
    case $jar in
        '') fail "not built yet: run 'mvn -q -DskipTests package' in $home" ;;
        */"belfry-$1.jar") printf '%s\n' "$jar" ;;
        *) printf '%s:%s\n' "$jar" "$home/$1/target/lib/*" ;;
    esac
}

# build_if_missing MODULE...: builds the modules if a jar is missing. A jar older than its sources only causes a message.
build_if_missing() {
    for module in "$@"; do
        if [ -z "$(jar_of "$module")" ]; then
            build "$@"
            [ -n "$(jar_of "$module")" ] || fail "the build left no jar in $home/$module/target"
            return
        fi
    done
    if [ -t 2 ] && [ -n "$(find "$home/$1/src/main" -newer "$(jar_of "$1")" -type f 2>/dev/null | head -n 1)" ]; then
        say "the sources are newer than the build; run 'mvn -q -DskipTests package' to build again"
    fi
}

# build MODULE...: builds the modules and their dependencies without tests, and prints the progress.
build() {
    command -v mvn >/dev/null 2>&1 \
        || fail "not built yet, and Maven is not on PATH; install it (Debian: apt install maven)"
    modules=$(printf '%s,' "$@")
    build_log=$home/target/build.log
    mkdir -p "$home/target"
    say "not built yet; building once, which takes a minute or more (Maven's output: $build_log)"
    build_status=$(
        cd "$home" || exit
        {
            # A pipe returns the exit status of its last command, so the build's status is passed through the pipe as a line.
            mvn -B -Dmaven.test.skip=true -pl "${modules%,}" -am package 2>&1 && status=0 || status=1
            # The line begins with a newline, because Maven's last line may lack one.
            printf '\nexit %s\n' "$status"
        } | show_build
    )
    if [ "$build_status" != 0 ]; then
        grep '^\[ERROR\]' "$build_log" | head -n 20 >&2
        fail "the build failed; Maven's whole output is in $build_log"
    fi
}

# Copies Maven's output to the build log, prints a line per module on standard error, and the exit status on standard output.
show_build() {
    while IFS= read -r line; do
        case $line in
            'exit '*) printf '%s\n' "${line#exit }" ;;
            '[INFO] Building '*'['*/*']')
                module=${line#\[INFO\] Building }
                step=${module##*\[}
                printf '  building %s: %s\n' "${step%]}" "${module%% [0-9]*}" >&2
                ;;
        esac
        printf '%s\n' "$line" >&3
    done 3>"$build_log"
}

# Runs a JVM for less than a second of work.
quick_java() {
    "$java" "@$home/tuning/jvm/command.options" "-Dbelfry.home=$home" "$@"
}

# run_bench MODULE MAIN_CLASS [ARGUMENT]...: replaces the shell by a load generator with the configured heap size.
run_bench() {
    module=$1
    main=$2
    shift 2
    find_java
    build_if_missing "$module"
    class_path=$(class_path_of "$module") || exit $?
    prefix=$(printf '%s_' "$module" | tr '[:lower:]' '[:upper:]')
    heap=$(quick_java -cp "$class_path" io.belfry.settings.HeapOption "$prefix" "$@") || exit $?
    set -f
    # shellcheck disable=SC2086 # the user's options are words
    exec "$java" "-Dbelfry.home=$home" "$heap" "@$home/tuning/jvm/common.options" "@$home/tuning/jvm/load.options" \
        ${BELFRY_BENCH_JAVA_OPTIONS:-} -cp "$class_path" "$main" "$@"
}
