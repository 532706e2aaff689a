// words.rs - Rust: calls the C functions of the library; profiles have Rust's names.
//
//     rustc -g -O words.rs -l cpprof
//     ./words
//     pprof -top -cum -focus=words:: cpu.pb.gz
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::raw::{c_char, c_int};
use std::os::unix::io::AsRawFd;

#[repr(C)]
struct Profile {
    _private: [u8; 0],
}

extern "C" {
    fn cpprof_start(kind: *const c_char) -> *mut Profile;
    fn cpprof_stop(profile: *mut Profile, fd: c_int) -> c_int;
    fn cpprof_error() -> *const c_char;
}

/// Profiles a function call into a file.
fn profiled<T>(kind: &str, path: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    let kind = CString::new(kind).map_err(|e| e.to_string())?;
    let file = File::create(path).map_err(|e| e.to_string())?;
    let profile = unsafe { cpprof_start(kind.as_ptr()) };
    let result = work();
    if unsafe { cpprof_stop(profile, file.as_raw_fd()) } != 0 {
        let why = unsafe { CStr::from_ptr(cpprof_error()) };
        return Err(why.to_string_lossy().into_owned());
    }
    Ok(result)
}

struct Words {
    counts: HashMap<String, usize>,
}

impl Words {
    #[inline(never)]
    fn count(&mut self, text: &str) {
        for word in text.split_whitespace() {
            *self.counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
}

fn main() {
    let text = "The quick brown fox jumps over the lazy dog ".repeat(2000);
    let mut words = Words { counts: HashMap::new() };
    let done = profiled("profile", "cpu.pb.gz", || {
        for _ in 0..500 {
            words.count(&text);
        }
        words.counts.len()
    });
    match done {
        Ok(n) => println!("{} different words", n),
        Err(why) => {
            eprintln!("words: {}", why);
            std::process::exit(1);
        }
    }
}
