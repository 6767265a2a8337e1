import { readFile } from 'node:fs/promises';

export interface SeccompProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly syscalls: readonly SeccompRule[];
}

interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly { index: number; value: number; valueTwo?: number; op: string }[];
}

/** Older profiles of Docker name one call a rule. */
type SavedRule = Partial<SeccompRule> & { readonly name?: string; readonly action: string };

const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
};

/** What every container may call, by purpose. The kernel's other calls answer EPERM. */
const allowed = `
  accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom recvmmsg recvmmsg_time64 recvmsg send
  sendmmsg sendmsg sendto setsockopt shutdown socket socketcall socketpair
  access chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
  fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl fcntl64 fdatasync
  fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64
  futimesat getcwd getdents getdents64 getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown
  lchown32 lgetxattr link linkat listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 mkdir mkdirat mknod
  mknodat newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink
  readlinkat readv removexattr rename renameat renameat2 rmdir sendfile sendfile64 setxattr splice stat stat64 statfs
  statfs64 statx symlink symlinkat sync sync_file_range syncfs tee truncate truncate64 umask unlink unlinkat utime utimensat
  utimensat_time64 utimes vmsplice write writev getxattrat setxattrat listxattrat removexattrat
  epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2
  _newselect poll ppoll ppoll_time64 pselect6 pselect6_time64 select signalfd signalfd4
  brk madvise memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mmap2 mprotect mremap msync munlock munlockall
  munmap pkey_alloc pkey_free pkey_mprotect process_mrelease remap_file_pages map_shadow_stack mseal cachestat
  alarm clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 getitimer
  gettimeofday nanosleep setitimer time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64
  timer_settime timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times
  clock_adjtime clock_adjtime64 adjtimex
  capget capset execve execveat exit exit_group fork getcpu getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups
  getgroups32 getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit
  getrusage getsid get_thread_area gettid getuid getuid32 ioprio_get ioprio_set kill pause pidfd_open pidfd_send_signal prctl
  prlimit64 restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
  rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_getaffinity sched_getattr sched_getparam
  sched_get_priority_max sched_get_priority_min sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp setfsgid setfsgid32 setfsuid
  setfsuid32 setgid setgid32 setgroups setgroups32 setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid
  setresuid32 setreuid setreuid32 setrlimit setsid set_thread_area set_tid_address setuid setuid32 sigaltstack sigprocmask
  sigreturn sysinfo tgkill tkill ugetrlimit uname vfork wait4 waitid waitpid membarrier ptrace process_vm_readv
  process_vm_writev kcmp landlock_create_ruleset landlock_add_rule landlock_restrict_self name_to_handle_at
  get_robust_list set_robust_list futex futex_time64 futex_waitv futex_wake futex_wait futex_requeue
  io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit
  ipc mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink msgctl
  msgget msgrcv msgsnd semctl semget semop semtimedop semtimedop_time64 shmat shmctl shmdt shmget
  arch_prctl modify_ldt breakpoint cacheflush set_tls arm_fadvise64_64 arm_sync_file_range uretprobe`;

/** What a capability opens up besides. */
const withCapability: Readonly<Record<string, string>> = {
  CAP_DAC_READ_SEARCH: 'open_by_handle_at',
  CAP_SYS_ADMIN:
    'bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount open_tree ' +
    'perf_event_open quotactl quotactl_fd setdomainname sethostname setns umount umount2 unshare syslog statmount listmount',
  CAP_SYS_BOOT: 'reboot',
  CAP_SYS_CHROOT: 'chroot',
  CAP_SYS_MODULE: 'delete_module init_module finit_module',
  CAP_SYS_PACCT: 'acct',
  CAP_SYS_PTRACE: 'pidfd_getfd process_madvise',
  CAP_SYS_RAWIO: 'iopl ioperm',
  CAP_SYS_TIME: 'settimeofday stime clock_settime clock_settime64',
  CAP_SYS_TTY_CONFIG: 'vhangup',
  CAP_SYS_NICE: 'get_mempolicy mbind set_mempolicy set_mempolicy_home_node',
  CAP_SYSLOG: 'syslog',
  CAP_BPF: 'bpf',
  CAP_PERFMON: 'perf_event_open',
};

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET (clone(2)). */
const cloneNamespaces = 0x7e02_0000;
const allow = 'SCMP_ACT_ALLOW';
/** ENOSYS lets the C library fall back to clone, whose flags can be judged. */
const errnoNotThere = 38;

/** The profile `RuntimeDefault`, for a container with these capabilities. */
export function defaultSeccomp(capabilities: readonly string[]): SeccompProfile {
  const syscalls: SeccompRule[] = [
    { names: words(allowed), action: allow },
    ...capabilities.flatMap((name) => {
      const more = withCapability[name];
      return more === undefined ? [] : [{ names: words(more), action: allow }];
    }),
    ...[0x0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff].map((value) => ({
      names: ['personality'],
      action: allow,
      args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }],
    })),
  ];
  if (!capabilities.includes('CAP_SYS_ADMIN')) {
    const mask = [{ index: 0, value: cloneNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }];
    syscalls.push({ names: ['clone'], action: allow, args: mask });
    syscalls.push({ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: errnoNotThere });
  }
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    architectures: architectures[process.arch] ?? [],
    syscalls,
  };
}

/** A profile in Docker's or the OCI's form from a file (`Localhost`). Throws where it is missing or no profile. */
export async function localSeccomp(path: string): Promise<SeccompProfile> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`cannot load seccomp profile "${path}": no such file`);
  });
  try {
    const profile = JSON.parse(text) as Omit<SeccompProfile, 'syscalls'> & { syscalls?: SavedRule[] };
    if (typeof profile.defaultAction !== 'string') throw new Error('defaultAction is missing');
    return {
      defaultAction: profile.defaultAction,
      ...(profile.defaultErrnoRet === undefined ? {} : { defaultErrnoRet: profile.defaultErrnoRet }),
      architectures: profile.architectures ?? architectures[process.arch] ?? [],
      syscalls: (profile.syscalls ?? []).map(({ names, name, action, args, errnoRet }) => ({
        names: names ?? [name ?? ''],
        action,
        ...(args?.length ? { args } : {}),
        ...(errnoRet === undefined ? {} : { errnoRet }),
      })),
    };
  } catch (error) {
    throw new Error(`cannot load seccomp profile "${path}": ${(error as Error).message}`, { cause: error });
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}
