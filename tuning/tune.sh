#!/bin/sh
# Applies host settings for Belfry and restores the previous ones: tuning/README.md lists effects and costs.
#
#   tuning/tune.sh check [ITEM]...    shows differences; changes nothing, needs no rights
#   tuning/tune.sh apply ITEM...      as root; stores the previous values in /var/lib/belfry-tuning
#   tuning/tune.sh undo  ITEM...      as root; restores the previous values
#
# ITEM: sysctl, limits, thp, nic (all cards) or nic:CARD, systemd.
# Exit codes: 0 success (check: no difference), 1 failure or difference, 2 wrong usage.
set -eu

here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
home=$(dirname "$here")
# A folder that is used in place of /, for trials and tests: nothing outside of it is changed.
root=${TUNE_ROOT:-}
kept=$root/var/lib/belfry-tuning
tab=$(printf '\t')
differs=0

say() {
    printf '%-8s %s\n' "$item" "$*"
}

differ() {
    differs=1
    say "$@"
}

fail() {
    printf 'tune.sh: %s\n' "$*" >&2
    exit 1
}

usage() {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# --- previous values ---

# keep FILE WAS: stores the content of a kernel file, the first time only, so that undo restores the original value.
keep() {
    mkdir -p "$kept"
    touch "$kept/$item"
    cut -f 1 "$kept/$item" | grep -qxF "${1#"$root"}" || printf '%s\t%s\n' "${1#"$root"}" "$2" >>"$kept/$item"
}

# put FILE WAS VALUE: writes a value to a kernel file after storing the previous value.
put() {
    keep "$1" "$2"
    if printf '%s\n' "$3" 2>/dev/null >"$1"; then
        say "$1: $2 -> $3"
    else
        differ "$1: the kernel refuses '$3'"
    fi
}

put_all_back() {
    [ -f "$kept/$item" ] || return 0
    while IFS=$tab read -r file was; do
        if printf '%s\n' "$was" 2>/dev/null >"$root$file"; then
            say "$root$file: back to '$was'"
        else
            differ "$root$file: the kernel refuses '$was'"
        fi
    done <"$kept/$item"
    rm -f "$kept/$item"
}

# place TARGET: writes standard input to the file; a file of another origin is stored.
place() {
    mkdir -p "$(dirname "$1")" "$kept"
    if [ -f "$1" ] && [ ! -f "$kept/$item.file" ] && [ ! -f "$kept/$item.ours" ]; then
        cp -p "$1" "$kept/$item.file"
    fi
    : >"$kept/$item.ours"
    cat >"$1"
    say "$1 written"
}

unplace() {
    [ -f "$kept/$item.ours" ] || return 0
    if [ -f "$kept/$item.file" ]; then
        mv "$kept/$item.file" "$1"
        say "$1 restored"
    else
        rm -f "$1"
        say "$1 removed"
    fi
    rm -f "$kept/$item.ours"
}

same_file() {
    if cmp -s "$1" "$2"; then
        say "$2 is in place"
    else
        differ "$2 is not in place"
    fi
}

# --- sysctl: kernel settings ---

sysctl_file=$here/sysctl.d/60-belfry.conf
sysctl_target=$root/etc/sysctl.d/60-belfry.conf

# Prints name, current and wanted value, separated by tabs, of every setting that this host does not meet.
unmet_sysctl() {
    sed -n 's/^\([a-z0-9_.]*\) *= */\1 /p' "$sysctl_file" | while read -r name wanted; do
        [ -r "$(sysctl_path "$name")" ] || continue
        current=$(tr -s '\t ' '  ' <"$(sysctl_path "$name")")
        sysctl_meets "$name" "$current" "$wanted" \
            || printf '%s\t%s\t%s\n' "$name" "$current" "$(sysctl_value "$name" "$current" "$wanted")"
    done
}

sysctl_path() {
    printf '%s/proc/sys/%s' "$root" "$(printf '%s' "$1" | tr . /)"
}

# Bounds may be higher than wanted; sizes of buffers and ranges must be equal.
sysctl_meets() {
    case $1 in
        *.tcp_rmem | *.tcp_wmem | *.ip_local_port_range) [ "$2" = "$3" ] ;;
        *.ip_local_reserved_ports) [ "$(sysctl_value "$1" "$2" "$3")" = "$2" ] ;;
        *.tcp_mem) [ "${2##* }" -ge "${3##* }" ] || too_little_memory "${3##* }" ;;
        *) [ "$2" -ge "$3" ] ;;
    esac
}

# A bound above half the memory would not protect the host.
too_little_memory() {
    pages=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' "$root/proc/meminfo" 2>/dev/null)
    [ $((${pages:-0} / 8)) -lt "$1" ] && [ -n "$pages" ]
}

# Existing reservations of ports stay.
sysctl_value() {
    case $1 in
        *.ip_local_reserved_ports)
            value=$2
            for port in $(printf '%s' "$3" | tr , ' '); do
                case ",$value," in
                    *",$port,"*) ;;
                    *) value=${value:+$value,}$port ;;
                esac
            done
            printf '%s' "$value"
            ;;
        *) printf '%s' "$3" ;;
    esac
}

check_sysctl() {
    unmet=$(unmet_sysctl)
    if [ -n "$unmet" ]; then
        differ "these settings are not as wanted:"
        printf '%s\n' "$unmet" | awk -F '\t' '{ printf "         %s is %s, wanted is %s\n", $1, $2 == "" ? "empty" : $2, $3 }'
    else
        say "every setting is as wanted, or higher"
    fi
}

apply_sysctl() {
    # read counts two tabs as one separator, so an empty current value needs a placeholder.
    unmet_sysctl | sed "s/$tab$tab/$tab $tab/" | while IFS=$tab read -r name current wanted; do
        put "$(sysctl_path "$name")" "${current# }" "$wanted"
    done
    if [ -s "$kept/$item" ]; then
        sysctl_lines | place "$sysctl_target"
    fi
    # Reports settings that the kernel refused.
    check_sysctl
}

# The file for the next boot: every setting that apply changed, with its current value.
sysctl_lines() {
    printf '# Written by tuning/tune.sh apply sysctl; undone by undo.\n'
    cut -f 1 "$kept/$item" | while IFS= read -r file; do
        name=$(printf '%s' "${file#/proc/sys/}" | tr / .)
        printf '%s = %s\n' "$name" "$(tr -s '\t ' '  ' <"$root$file")"
    done
}

undo_sysctl() {
    put_all_back
    unplace "$sysctl_target"
}

# --- limits: open files of logins ---

limits_target=$root/etc/security/limits.d/60-belfry.conf

check_limits() {
    same_file "$here/limits.d/60-belfry.conf" "$limits_target"
    say "this shell's open files: $(sed -n 's/^Max open files *//p' "$root/proc/self/limits" 2>/dev/null | tr -s ' ')"
}

apply_limits() {
    wanted=$(sed -n 's/^\* *hard nofile *//p' "$here/limits.d/60-belfry.conf")
    most=$(cat "$root/proc/sys/fs/nr_open" 2>/dev/null || echo "$wanted")
    # With a limit above nr_open PAM fails, and with it every login.
    [ "$most" -ge "$wanted" ] || fail "fs.nr_open is $most, below $wanted: apply sysctl first"
    place "$limits_target" <"$here/limits.d/60-belfry.conf"
}

undo_limits() {
    unplace "$limits_target"
}

# --- thp: transparent huge pages ---

thp_file=$root/sys/kernel/mm/transparent_hugepage/enabled
thp_target=$root/etc/tmpfiles.d/belfry.conf

thp_mode() {
    sed -n 's/.*\[\([a-z]*\)\].*/\1/p' "$thp_file" 2>/dev/null
}

check_thp() {
    case $(thp_mode) in
        madvise | always) say "transparent huge pages: $(thp_mode), fine" ;;
        '') say "this kernel has none" ;;
        *) differ "transparent huge pages: $(thp_mode), wanted madvise" ;;
    esac
}

apply_thp() {
    case $(thp_mode) in
        madvise | always | '') check_thp ;;
        *)
            put "$thp_file" "$(thp_mode)" madvise
            place "$thp_target" <"$here/tmpfiles.d/belfry.conf"
            ;;
    esac
}

undo_thp() {
    put_all_back
    unplace "$thp_target"
}

# --- nic: interrupts and packets of network cards over the processors ---

cards() {
    for card in "$root"/sys/class/net/${1:-*}; do
        if [ -e "$card/device" ] && [ -d "$card/queues" ]; then
            basename "$card"
        fi
    done
}

processors() {
    grep -c '^processor' "$root/proc/cpuinfo"
}

# The interrupts of a card's queues; a virtual card uses those of its bus.
interrupts() {
    for folder in "$root/sys/class/net/$1/device/msi_irqs" "$root/sys/class/net/$1/device/../msi_irqs"; do
        if [ -d "$folder" ]; then
            ls "$folder"
            return
        fi
    done
}

receive_queues() {
    for queue in "$root/sys/class/net/$1/queues"/rx-*; do
        printf '%s\n' "$queue"
    done
}

# The bit mask of N processors, in groups of 32 as the kernel writes it.
mask() {
    bits=$1
    groups=
    while [ "$bits" -ge 32 ]; do
        groups=$groups,ffffffff
        bits=$((bits - 32))
    done
    if [ "$bits" -gt 0 ]; then
        printf '%x%s' $(((1 << bits) - 1)) "$groups"
    else
        printf '%s' "${groups#,}"
    fi
}

check_nic() {
    for card in $(cards "${1:-}"); do
        queues=$(receive_queues "$card" | grep -c .)
        spread=$(cat "$root/sys/class/net/$card/queues"/rx-*/rps_cpus 2>/dev/null | tr -d '0,\n')
        if [ "$queues" -ge "$(processors)" ] || [ -n "$spread" ]; then
            say "$card: $queues receive queue(s) for $(processors) processors${spread:+, spread by the kernel}, fine"
        else
            differ "$card: $queues receive queue(s) for $(processors) processors, and the kernel does not spread"
        fi
        for interrupt in $(interrupts "$card"); do
            say "$card: interrupt $interrupt on $(cat "$root/proc/irq/$interrupt/smp_affinity_list" 2>/dev/null || echo '?')"
        done
    done
}

apply_nic() {
    for card in $(cards "${1:-}"); do
        processor=0
        for interrupt in $(interrupts "$card"); do
            file=$root/proc/irq/$interrupt/smp_affinity_list
            [ ! -w "$file" ] || put "$file" "$(cat "$file")" "$processor"
            processor=$(((processor + 1) % $(processors)))
        done
        if [ "$(receive_queues "$card" | grep -c .)" -lt "$(processors)" ]; then
            for queue in $(receive_queues "$card"); do
                put "$queue/rps_cpus" "$(cat "$queue/rps_cpus")" "$(mask "$(processors)")"
            done
        fi
    done
    say "valid until the next boot; a running irqbalance would undo it: systemctl disable --now irqbalance"
}

undo_nic() {
    put_all_back
}

# --- systemd: Belfry as a service ---

unit_target=$root/etc/systemd/system/belfry.service

unit() {
    sed "s|/opt/belfry|$home|g" "$here/systemd/belfry.service"
}

reload_systemd() {
    [ -n "$root" ] || ! command -v systemctl >/dev/null 2>&1 || systemctl daemon-reload
}

check_systemd() {
    if [ -f "$unit_target" ] && [ "$(unit)" = "$(cat "$unit_target")" ]; then
        say "$unit_target is in place"
    else
        differ "$unit_target is not in place"
    fi
}

apply_systemd() {
    case $home in *[!A-Za-z0-9/._-]*) fail "a unit cannot name $home: install in a folder without spaces" ;; esac
    if [ -z "$root" ] && command -v systemd-sysusers >/dev/null 2>&1; then
        systemd-sysusers "$here/systemd/belfry.sysusers"
    fi
    unit | place "$unit_target"
    if [ ! -e "$root/etc/belfry/belfry.conf" ]; then
        mkdir -p "$root/etc/belfry"
        cp "$home/config/belfry.conf" "$root/etc/belfry/belfry.conf"
        # The file may later contain tokens.
        chmod 0640 "$root/etc/belfry/belfry.conf"
        [ -n "$root" ] || chgrp belfry "$root/etc/belfry/belfry.conf"
        say "$root/etc/belfry/belfry.conf written; undo leaves it"
    fi
    reload_systemd
    say "now: systemctl enable --now belfry"
}

undo_systemd() {
    unplace "$unit_target"
    reload_systemd
}

# --- the command line ---

[ $# -gt 0 ] || usage
command=$1
shift
case $command in
    check) [ $# -gt 0 ] || set -- sysctl limits thp nic systemd ;;
    apply | undo)
        [ $# -gt 0 ] || usage
        [ -n "$root" ] || [ "$(id -u)" -eq 0 ] || fail "$command needs root"
        ;;
    *) usage ;;
esac

for wanted in "$@"; do
    case $wanted in
        sysctl | limits | thp | nic | systemd | nic:*) ;;
        *) usage ;;
    esac
done
for wanted in "$@"; do
    item=${wanted%%:*}
    argument=
    [ "$item" = "$wanted" ] || argument=${wanted#*:}
    case $command:$item in
        check:sysctl) check_sysctl ;;
        apply:sysctl) apply_sysctl ;;
        undo:sysctl) undo_sysctl ;;
        check:limits) check_limits ;;
        apply:limits) apply_limits ;;
        undo:limits) undo_limits ;;
        check:thp) check_thp ;;
        apply:thp) apply_thp ;;
        undo:thp) undo_thp ;;
        check:nic) check_nic "$argument" ;;
        apply:nic) apply_nic "$argument" ;;
        undo:nic) undo_nic ;;
        check:systemd) check_systemd ;;
        apply:systemd) apply_systemd ;;
        undo:systemd) undo_systemd ;;
    esac
done
exit "$differs"
