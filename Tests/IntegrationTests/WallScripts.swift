// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What tries the walls around the running unit: Python, since it needs ptrace(2) and prctl(2).
enum WallScripts {
    /// Makes the daemon's own thread do a system call, as code that has taken it over would, and prints the result, a
    /// negative error number, for each of `NAME NUMBER ARGUMENT…`. Root alone can do this to it.
    static let inject = """
        import ctypes, os, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        libc.ptrace.restype = ctypes.c_long
        names = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss"
        names += " fs_base gs_base ds es fs gs"
        class Registers(ctypes.Structure):
            _fields_ = [(name, ctypes.c_ulonglong) for name in names.split()]
        pid = int(sys.argv[1])
        def ptrace(request, address=0, data=0):
            if libc.ptrace(request, pid, address, data) < 0:
                raise OSError(ctypes.get_errno(), "ptrace %d" % request)
        ptrace(16)
        os.waitpid(pid, 0)
        saved = Registers()
        ptrace(12, 0, ctypes.addressof(saved))
        with open("/proc/%d/mem" % pid, "rb") as memory:
            memory.seek(saved.rip - 2)
            assert memory.read(2) == b"\\x0f\\x05", "the thread is in no system call"
        for call in sys.argv[2:]:
            name, number, *arguments = call.split()
            used = Registers.from_buffer_copy(saved)
            used.rip -= 2
            used.orig_rax = 2**64 - 1
            used.rax = int(number)
            for register, value in zip("rdi rsi rdx r10 r8 r9".split(), arguments + ["0"] * 6):
                page = saved.rsp & ~4095
                setattr(used, register, (page if value == "stack" else int(value, 0)) % 2**64)
            ptrace(13, 0, ctypes.addressof(used))
            ptrace(9)
            os.waitpid(pid, 0)
            ptrace(12, 0, ctypes.addressof(used))
            print(name, struct.unpack("q", struct.pack("Q", used.rax))[0])
        ptrace(13, 0, ctypes.addressof(saved))
        ptrace(17)
        """

    /// A client that lets nobody of its user look at it, as a sandboxed program may that wants to hide where it is.
    static let hidden = """
        import ctypes, json, os, socket
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.environ["XDG_RUNTIME_DIR"] + "/tokend/tokend.sock")
        lines = s.makefile()
        for method in ["status", "account.list", "config.reload"]:
            s.sendall(json.dumps({"method": method}).encode() + b"\\n")
            reply = json.loads(lines.readline())
            print(method, reply["error"]["data"]["kind"] if "error" in reply else "answered")
        """
}
