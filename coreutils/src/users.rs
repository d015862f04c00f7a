//! Names of users and groups, as `/etc/passwd` and `/etc/group` of the virtual tree give them.

use sandshell_kernel::{Bytes, Files};

/// One line of `/etc/passwd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Login name.
    pub name: Bytes,
    /// User number.
    pub uid: u32,
    /// Number of the primary group.
    pub gid: u32,
}

/// One line of `/etc/group`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: Bytes,
    /// Its number.
    pub gid: u32,
    /// Login names of its members.
    pub members: Vec<Bytes>,
}

/// Both files, read once.
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// The users, in the order of the file.
    pub users: Vec<User>,
    /// The groups, in the order of the file.
    pub groups: Vec<Group>,
}

impl Users {
    /// Reads the two files; a missing one has no entries.
    pub fn load(files: &Files) -> Users {
        let passwd = files.read(b"/etc/passwd").unwrap_or_default();
        let group = files.read(b"/etc/group").unwrap_or_default();
        let users = rows(&passwd)
            .filter_map(|r| {
                Some(User { name: passwd.slice_ref(r[0]), uid: number(r.get(2)?)?, gid: number(r.get(3)?)? })
            })
            .collect();
        let groups = rows(&group)
            .filter_map(|r| {
                let members = r.get(3).unwrap_or(&&b""[..]).split(|&b| b == b',');
                let members = members.filter(|m| !m.is_empty()).map(|m| group.slice_ref(m)).collect();
                Some(Group { name: group.slice_ref(r[0]), gid: number(r.get(2)?)?, members })
            })
            .collect();
        Users { users, groups }
    }

    /// The name of a user.
    pub fn user(&self, uid: u32) -> Option<&Bytes> {
        self.users.iter().find(|u| u.uid == uid).map(|u| &u.name)
    }

    /// The name of a group.
    pub fn group(&self, gid: u32) -> Option<&Bytes> {
        self.groups.iter().find(|g| g.gid == gid).map(|g| &g.name)
    }

    /// The user of a name.
    pub fn user_named(&self, name: &[u8]) -> Option<&User> {
        self.users.iter().find(|u| u.name == name)
    }

    /// The number of a group's name.
    pub fn gid_named(&self, name: &[u8]) -> Option<u32> {
        self.groups.iter().find(|g| g.name == name).map(|g| g.gid)
    }
}

fn rows(text: &Bytes) -> impl Iterator<Item = Vec<&[u8]>> {
    text.split(|&b| b == b'\n').filter(|l| !l.is_empty()).map(|l| l.split(|&b| b == b':').collect())
}

fn number(field: &&[u8]) -> Option<u32> {
    std::str::from_utf8(field).ok()?.parse().ok()
}
