use super::*;
use crate::hierarchy::tests::assert_sound;
use crate::hierarchy::{Group, Leaf};
use crate::numbers::Level;
use proptest::prelude::*;

fn read(text: &str) -> Result<Hierarchy, Error> {
    parse(text.as_bytes(), Options::new("c"))
}

fn read_knowing(values: &[&str], text: &str) -> Hierarchy {
    let is_value = |value: &str| values.contains(&value);
    parse(text.as_bytes(), Options::new("c").with_values(&is_value)).unwrap()
}

fn rows(hierarchy: &Hierarchy) -> String {
    let text = hierarchy.to_csv();
    let (_, rows) = text.split_once('\n').unwrap();
    rows.to_string()
}

#[test]
fn comma_semicolon_and_tab_are_told_apart() {
    for delimiter in [",", ";", "\t"] {
        let text = ["a|X|*", "b|X|*", "c|Y|*"]
            .join("\n")
            .replace('|', delimiter);
        assert_eq!(rows(&read(&text).unwrap()), "a,X,*\nb,X,*\nc,Y,*\n");
    }
}

#[test]
fn commas_inside_labels_do_not_win_over_semicolons() {
    let arx = "1;[1, 5[;[1, 10[;*\n7;[5, 10[;[1, 10[;*\n";
    assert_eq!(read(arx).unwrap().label(Level(1), Group(0)), "[1, 5[");
    let decimals = "1,5;[1,0-2,0[;*\n2,5;[2,0-3,0[;*\n";
    assert_eq!(read(decimals).unwrap().text(Leaf(0)), "1,5");
    let one_bad_line = read("a;X;*\nb\n").unwrap_err();
    assert_eq!(
        one_bad_line,
        Error::HierarchyRowTooShort {
            column: "c".into(),
            line: 2,
            cells: 1,
            levels: 3
        }
    );
    let quoted = "a,\"x;y;z\",*\nb,\"x;y;z\",*\n";
    assert_eq!(read(quoted).unwrap().label(Level(1), Group(0)), "x;y;z");
}

#[test]
fn quotes_byte_order_marks_line_ends_and_blank_lines_are_fine() {
    let text = "\u{feff}\"a \"\"b\"\"\",X,*\r\n\r\nc,\"X\",*\r\rd,X,*";
    let hierarchy = read(text).unwrap();
    assert_eq!(hierarchy.leaf("a \"b\""), Some(Leaf(0)));
    assert_eq!(hierarchy.leaf("d"), Some(Leaf(2)));
    assert_eq!(hierarchy.groups(Level(1)), 1);
}

#[test]
fn cells_are_taken_with_their_blanks() {
    let hierarchy = read("a , X,*\nb, X,*\n").unwrap();
    assert_eq!(hierarchy.leaf("a "), Some(Leaf(0)));
    assert_eq!(hierarchy.label(Level(1), Group(0)), " X");
}

#[test]
fn a_header_is_told_by_its_last_cell() {
    let named = read("value,group,any\na,X,*\nb,X,*\n").unwrap();
    assert_eq!((named.leaves(), named.level_name(Level(1))), (2, "group"));
    let unnamed = read("a,X,*\nb,X,*\n").unwrap();
    assert_eq!(
        (unnamed.leaves(), unnamed.level_name(Level(1))),
        (2, "level-1")
    );
    // Without a shared last cell there is nothing to tell by.
    assert_eq!(read("value,group\na,X\nb,Y\n").unwrap().leaves(), 3);
    // But the name of the column says enough.
    assert_eq!(read("c,group\na,X\nb,Y\n").unwrap().leaves(), 2);
    // A single line is about a value.
    assert_eq!(read("a,X,*\n").unwrap().leaves(), 1);
    assert_eq!(read("a,X\n").unwrap().leaves(), 1);
}

#[test]
fn a_header_is_told_by_the_values_of_the_data() {
    let text = "x,group\na,X\nb,Y\n";
    assert_eq!(read_knowing(&["a", "b"], text).leaves(), 2);
    assert_eq!(read_knowing(&["a", "b", "x"], text).leaves(), 3);
    // A value that no row has is still a value, for it shares a group.
    assert_eq!(read_knowing(&["b"], "a,X,*\nb,Y,*\n").leaves(), 2);
    assert_eq!(read_knowing(&["b"], "a,X\nb,X\nd,Y\n").leaves(), 3);
    // A level may be called like one of its groups.
    assert_eq!(read_knowing(&["a"], "x,X,any\na,X,*\nb,X,*\n").leaves(), 2);
    // Empty cells are no labels.
    assert_eq!(read_knowing(&["a"], "x,,g\na,,X\nb,,Y\n").leaves(), 2);
    // A column may be called like one of its values.
    assert_eq!(read_knowing(&["c", "a"], "c,X,*\na,X,*\n").leaves(), 2);
}

#[test]
fn what_the_caller_says_is_not_guessed() {
    let text = b"value,any\na,*\n";
    let options = Options::new("c").with_header(Header::No);
    assert_eq!(parse(text, options).unwrap().leaves(), 2);
    let options = Options::new("c").with_header(Header::Yes);
    let hierarchy = parse(b"a,X,*\nb,X,*\n", options).unwrap();
    assert_eq!(
        (hierarchy.leaves(), hierarchy.level_name(Level(2))),
        (1, "*")
    );
    let piped = Options::new("c").with_delimiter(b'|');
    assert_eq!(
        parse(b"a|X,Y|*\n", piped)
            .unwrap()
            .label(Level(1), Group(0)),
        "X,Y"
    );
    let only_a_header = parse(b"value,any\n", Options::new("c").with_header(Header::Yes));
    assert_eq!(
        only_a_header.unwrap_err(),
        Error::HierarchyEmpty { column: "c".into() }
    );
}

#[test]
fn a_header_names_as_many_levels_as_it_can() {
    let short = read("value,group\na,X,*\nb,X,*\n").unwrap();
    assert_eq!(
        [0, 1, 2].map(|level| short.level_name(Level(level))),
        ["value", "group", "level-2"]
    );
    let long = read("value,,any,,more\na,X,*\nb,X,*\n").unwrap();
    assert_eq!(
        [0, 1, 2].map(|level| long.level_name(Level(level))),
        ["value", "level-1", "any"]
    );
}

#[test]
fn one_cell_per_line_is_the_wrong_delimiter() {
    let expected = Error::HierarchyOneColumn {
        column: "c".into(),
        lines: 2,
    };
    assert_eq!(read("a|X|*\nb|X|*\n").unwrap_err(), expected);
    let options = Options::new("c").with_delimiter(b';');
    assert_eq!(parse(b"a,X,*\nb,X,*\n", options).unwrap_err(), expected);
}

#[test]
fn errors_name_lines_as_an_editor_does() {
    let line_of = |text: &[u8]| match parse(text, Options::new("c").with_header(Header::No)) {
        Err(Error::HierarchyValueTwice {
            line, first_line, ..
        }) => (first_line, line),
        Err(Error::HierarchyLevelSplits {
            line, first_line, ..
        }) => (first_line, line),
        Err(Error::HierarchyRowTooShort { line, .. } | Error::HierarchyNotUtf8 { line, .. }) => {
            (0, line)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(line_of(b"a,X,*\n\n\nb,Y,*\na,Y,*\n"), (1, 5));
    assert_eq!(line_of(b"\r\na,X,*\r\n\r\nb,Y,*\r\na,Y,*\r\n"), (2, 5));
    assert_eq!(line_of(b"a,X,*\rb,Y,*\r\ra,Y,*"), (1, 4));
    assert_eq!(line_of(b"a,\"X\nX\",*\nb,Y,*\na,Y,*\n"), (1, 4));
    assert_eq!(line_of(b",,\na,X,P,*\nb,X,Q,*\n"), (2, 3));
    assert_eq!(line_of(b"a,X,*\nb\n"), (0, 2));
    assert_eq!(line_of(b"a,X,*\nb,\xff,*\n"), (0, 2));
    assert_eq!(line_of(b"\xff\xfea\0,\0"), (0, 1));
    let cut = Options::new("c").with_delimiter(0xa9);
    let expected = Error::HierarchyNotUtf8 {
        column: "c".into(),
        line: 2,
    };
    assert_eq!(parse("a,b\né,*\n".as_bytes(), cut).unwrap_err(), expected);
}

#[test]
fn no_error_quotes_a_cell() {
    let secret = "Smallville";
    let texts = [
        format!("{secret},X,*\n{secret},Y,*\n"),
        format!("a,{secret},P,*\nb,{secret},Q,*\n"),
        format!("a,X,*\n{secret}\n"),
        format!("{secret}\n{secret}\n"),
    ];
    for text in texts {
        let error = read(&text).unwrap_err();
        let said = format!("{error} {error:?} {:?} {}", error.place(), error.hint());
        assert!(!said.contains(secret), "{said}");
    }
}

#[test]
fn nothing_is_an_empty_hierarchy() {
    for text in ["", "\n\n", "\u{feff}", ",,\n,,\n"] {
        assert_eq!(
            read(text).unwrap_err(),
            Error::HierarchyEmpty { column: "c".into() }
        );
    }
}

fn any_options() -> impl Strategy<Value = (Header, Option<u8>, Option<bool>)> {
    let header = prop_oneof![Just(Header::Yes), Just(Header::No), Just(Header::Detect)];
    (header, any::<Option<u8>>(), any::<Option<bool>>())
}

fn parse_with(bytes: &[u8], (header, delimiter, answer): (Header, Option<u8>, Option<bool>)) {
    let is_value = |_: &str| answer.unwrap_or_default();
    let mut options = Options::new("c").with_header(header);
    if let Some(delimiter) = delimiter {
        options = options.with_delimiter(delimiter);
    }
    if answer.is_some() {
        options = options.with_values(&is_value);
    }
    if let Ok(hierarchy) = parse(bytes, options) {
        assert_sound(&hierarchy);
        let again = Options::new("c")
            .with_header(Header::Yes)
            .with_delimiter(b',');
        let written = hierarchy.to_csv();
        assert_eq!(parse(written.as_bytes(), again).unwrap().to_csv(), written);
    }
}

proptest! {
    #[test]
    fn bytes_never_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), options in any_options()) {
        parse_with(&bytes, options);
    }

    #[test]
    fn text_never_makes_it_panic(text in "[ab*é,;\t\"\r\n]{0,60}", options in any_options()) {
        parse_with(text.as_bytes(), options);
    }
}
