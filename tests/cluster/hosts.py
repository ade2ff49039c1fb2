"""Four hosts on one machine: network namespaces joined by veth links and a bridge.

Each host has namespaces of its own for network, host name, System V and POSIX shared memory and,
but for the first, process ids, so that MPI sees machines that share nothing but a network. The
launcher runs on the first host and reaches the others through `agent`, in place of ssh.

Where namespaces are not permitted everything runs on this machine, over loopback."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from cli_tool import SECONDS
from mpi_launch import ENVIRONMENT, LAUNCHERS, die_with_parent

HERE = Path(__file__).resolve().parent
COUNT = 4
SET_UP = "mount -t tmpfs tmpfs /dev/shm && hostname {name} && ip link set lo up && exec sleep 1000000"


def run(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                   timeout=SECONDS)


def namespace_of(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None


class Hosts:
    """The hosts. `why_not` says what stands in the way of namespaces, or is None."""

    def __init__(self):
        self.holders = []
        self.why_not = None
        self.addresses = [f"10.77.0.{i + 1}" for i in range(COUNT)]
        try:
            self.make()
        except (OSError, subprocess.SubprocessError) as error:
            detail = getattr(error, "stderr", None) or str(error)
            self.why_not = detail.strip().splitlines()[-1]
            self.close()

    def make(self):
        for tool in ("ip", "unshare", "nsenter"):
            if shutil.which(tool) is None:
                raise OSError(f"{tool} is not installed")
        self.switch = self.hold("--net", script="exec sleep 1000000")
        self.in_switch("ip", "link", "add", "bridge", "type", "bridge")
        self.in_switch("ip", "link", "set", "bridge", "up")
        self.pids = []
        for i, address in enumerate(self.addresses):
            flags = ["--net", "--uts", "--ipc", "--mount"]
            script = SET_UP.format(name=f"host{i}")
            if i > 0:  # the launcher has to see the processes that it starts
                flags += ["--pid", "--fork", "--kill-child"]
                script = "mount -t proc proc /proc && " + script
            pid = self.hold(*flags, script=script)
            self.pids.append(pid)
            if subprocess.run(self.entering(i) + ["test", "-e", __file__], timeout=SECONDS,
                              capture_output=True).returncode != 0:
                raise OSError("the hosts would not see this folder: the root is that of a chroot")
            self.in_switch("ip", "link", "add", f"port{i}", "type", "veth", "peer", "name", "eth0",
                           "netns", pid)
            self.in_switch("ip", "link", "set", f"port{i}", "master", "bridge", "up")
            self.on(i, "ip", "address", "add", f"{address}/24", "dev", "eth0")
            self.on(i, "ip", "link", "set", "eth0", "up")
        for i in range(1, COUNT):
            self.wait_for_name(i)

    def hold(self, *flags, script):
        """A process that keeps namespaces alive; its id, as seen from here."""
        holder = subprocess.Popen(["unshare", *flags, "sh", "-c", script],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, start_new_session=True,
                                  preexec_fn=die_with_parent)
        self.holders.append(holder)
        mine = namespace_of(os.getpid())
        for _ in range(500):
            if holder.poll() is not None:
                raise OSError(holder.stderr.read() or "unshare failed")
            if namespace_of(holder.pid) not in (None, mine):
                if "--fork" not in flags:
                    return holder.pid
                children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
                if children:
                    return int(children[0])
            time.sleep(0.01)
        raise OSError("unshare did not make a namespace")

    def wait_for_name(self, host):
        for _ in range(500):
            name = subprocess.run(self.entering(host) + ["hostname"], capture_output=True,
                                  text=True, timeout=SECONDS)
            if name.stdout.strip() == f"host{host}":
                return
            time.sleep(0.01)
        raise OSError(f"host {host} did not start")

    def entering(self, host):
        command = ["nsenter", "--target", str(self.pids[host]), "--net", "--uts", "--ipc", "--mount"]
        return command + (["--pid", "--"] if host > 0 else ["--"])

    def on(self, host, *command):
        run(*self.entering(host), *command)

    def in_switch(self, *command):
        run("nsenter", "--target", self.switch, "--net", "--", *command)

    def cut(self, host):
        self.in_switch("ip", "link", "set", f"port{host}", "down")

    def mend(self, host):
        self.in_switch("ip", "link", "set", f"port{host}", "up")
        for i in range(COUNT):  # they remember for some seconds that nobody answered
            self.on(i, "ip", "neighbor", "flush", "dev", "eth0")

    def real(self):
        return self.why_not is None

    def launch_command(self, library, ranks, flags=()):
        """What comes before a command to run it on `ranks` locales, one a host."""
        program, oversubscribe = LAUNCHERS[library]
        launcher = [program, *flags]
        if not self.real():
            return [*launcher, *oversubscribe, "-n", str(ranks)]
        hosts = self.addresses[:ranks]
        if library == "openmpi":
            launcher += ["--leave-session-attached", "--bind-to", "none",
                         "--host", ",".join(f"{host}:1" for host in hosts)]
            for name, value in (("plm_rsh_agent", HERE / "agent"), ("plm_rsh_no_tree_spawn", 1),
                                ("pml", "ob1"), ("btl", "tcp,self"),
                                ("btl_tcp_if_include", "eth0"), ("oob_tcp_if_include", "eth0"),
                                ("orte_keep_fqdn_hostnames", 1)):
                launcher += ["--mca", name, str(value)]
        else:
            launcher += ["-launcher", "ssh", "-launcher-exec", str(HERE / "agent"),
                         "-iface", "eth0", "-hosts", ",".join(hosts)]
        return self.entering(0) + launcher + ["-n", str(ranks)]

    def environment(self):
        variables = dict(ENVIRONMENT)
        if self.real():
            variables["GRAPPA_TEST_HOSTS"] = " ".join(
                f"{address}={pid}" for address, pid in zip(self.addresses, self.pids))
            variables["UCX_TLS"] = "tcp,self"
        return variables

    def clear(self):
        """Ends what launchers have left on the hosts."""
        if not self.real():
            return
        ours = {namespace_of(pid) for pid in self.pids}
        kept = {*self.pids, *(holder.pid for holder in self.holders)}
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in kept and namespace_of(entry) in ours:
                try:
                    os.kill(int(entry), signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def close(self):
        if self.why_not is None:
            self.clear()
        for holder in self.holders:
            holder.kill()
            holder.wait()
            holder.stderr.close()
        self.holders = []
