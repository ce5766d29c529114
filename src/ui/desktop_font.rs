//! The desktop's own sans-serif, found out once before the window opens.
//!
//! The text engine asks no desktop: it takes a fixed family for sans-serif, which may not be
//! there. The desktop's setting comes first (GTK's, KDE's), then what fontconfig answers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the desktop's font the one that views get; tells which it is.
pub fn choose() -> Option<String> {
    let family = from_settings().or_else(from_fontconfig)?;
    let mut fonts = iced::advanced::graphics::text::font_system().write().ok()?;
    fonts.raw().db_mut().set_sans_serif_family(family.clone());
    Some(family)
}

fn from_settings() -> Option<String> {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".config")))?;
    let read = |path: &str| std::fs::read_to_string(config.join(Path::new(path))).ok();
    let kde = std::env::var("XDG_CURRENT_DESKTOP").is_ok_and(|desktop| desktop.contains("KDE"));
    if kde && let Some(family) = read("kdeglobals").as_deref().and_then(kde_family) {
        return Some(family);
    }
    ["gtk-4.0/settings.ini", "gtk-3.0/settings.ini"]
        .into_iter()
        .find_map(|path| read(path).as_deref().and_then(gtk_family))
}

/// `font=Noto Sans,10,-1,5,50,0,0,0,0,0` of KDE's settings.
fn kde_family(settings: &str) -> Option<String> {
    let value = settings.lines().find_map(|line| line.strip_prefix("font="))?;
    let family = value.split(',').next()?.trim();
    (!family.is_empty()).then(|| family.to_owned())
}

/// `gtk-font-name=Cantarell Bold 11` of GTK's settings, without style and size.
fn gtk_family(settings: &str) -> Option<String> {
    let value = settings.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "gtk-font-name").then(|| value.trim().trim_matches('"'))
    })?;
    let styles = ["Regular", "Medium", "Bold", "Semi-Bold", "Light", "Italic"];
    let words: Vec<&str> = value.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let style = |word: &&str| word.parse::<f32>().is_ok() || styles.contains(word);
    let end = words.iter().rposition(|word| !style(word))?;
    Some(words[..=end].join(" "))
}

fn from_fontconfig() -> Option<String> {
    let output =
        Command::new("fc-match").args(["-f", "%{family[0]}", "sans-serif"]).output().ok()?;
    let family = String::from_utf8(output.stdout).ok()?;
    let family = family.trim();
    (output.status.success() && !family.is_empty()).then(|| family.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_read_from_the_desktops_settings() {
        let gtk = "[Settings]\ngtk-theme-name=Adwaita\ngtk-font-name = Noto Sans Bold 10.5\n";
        assert_eq!(gtk_family(gtk).as_deref(), Some("Noto Sans"));
        assert_eq!(gtk_family("gtk-font-name=Inter, 10").as_deref(), Some("Inter"));
        assert_eq!(gtk_family("[Settings]\n"), None);
        let kde = "[General]\nfixed=Hack,10\nfont=Open Sans,10,-1,5\n";
        assert_eq!(kde_family(kde).as_deref(), Some("Open Sans"));
    }
}
