//! Words in the names of columns, without accents: English, German, French, Spanish, Italian, Dutch, Portuguese and some
//! others.
//!
//! A word is also found at the beginning or end of a longer one if it has at least [`SHORTEST_PART`] letters, since
//! German and Dutch write `Haushaltseinkommen` and `gezinsinkomen`.

/// Words about one topic.
pub(super) struct Topic {
    /// What they are about.
    pub(super) about: &'static str,
    pub(super) words: &'static str,
}

const fn topic(about: &'static str, words: &'static str) -> Topic {
    Topic { about, words }
}

/// Of a column that names a person.
pub(super) const IDENTIFYING: &str = "id ids uuid guid identifier name names firstname lastname surname forename \
     fullname nickname username user login email mail phone telephone mobile fax ssn nin passport iban account card \
     license plate address street ip url \
     vorname nachname familienname anschrift adresse strasse straße telefon handy kundennummer versicherungsnummer \
     sozialversicherungsnummer steuernummer personalnummer matrikelnummer ausweisnummer kontonummer kennzeichen \
     nom prenom patronyme rue courriel identifiant nir matricule compte \
     nombre nombres apellido apellidos direccion calle telefono correo dni nie identificador cuenta matricula pasaporte \
     nome cognome indirizzo fiscale conto targa passaporto \
     naam voornaam achternaam adres straat telefoon bsn rekening rekeningnummer paspoort \
     sobrenome apelido endereco morada rua telefone telemovel cpf nif conta passaporte";

/// What others are likely to know about a person, best known first. Of the columns about one topic, one is proposed.
pub(super) const KNOWN_TO_OTHERS: [Topic; 16] = [
    topic(
        "age",
        "age ages birth birthday birthdate birthyear dob yob born alter geburt geburtsdatum geburtstag geburtsjahr \
         geboren naissance edad nacimiento eta nascita idade nascimento leeftijd geboorte geboortedatum geboortejaar \
         wiek alder",
    ),
    topic(
        "sex",
        "sex gender geschlecht sexe genre sexo genero sesso genere geslacht plec kon",
    ),
    topic(
        "place",
        "zip zipcode postcode postal plz postleitzahl cap cep city town ort stadt wohnort ville commune ciudad \
         municipio municipality citta comune cidade concelho woonplaats gemeente stad neighborhood neighbourhood place \
         location",
    ),
    topic(
        "region",
        "state region county province district bundesland kreis landkreis departement provincia estado regione \
         regiao distrito provincie regio area residence",
    ),
    topic(
        "origin",
        "race ethnicity ethnic ethnie raza raca razza etnia etniciteit herkunft afkomst hispanic caste tribe",
    ),
    topic(
        "marital status",
        "marital married familienstand matrimonial civil civile spouse divorced widowed burgerlijke conjugal",
    ),
    topic(
        "education",
        "education school schooling degree educ edu bildung ausbildung schulabschluss abschluss diplome etudes \
         educacion estudios escolaridad escolaridade educacao istruzione opleiding graduation",
    ),
    topic(
        "occupation",
        "occupation job profession beruf metier ocupacion profesion professione profissao ocupacao beroep zawod",
    ),
    topic(
        "country",
        "native country land pays pais paese kraj birthplace geburtsort geburtsland geboorteland",
    ),
    topic(
        "citizenship",
        "citizenship nationality citizen nationalitat staatsangehorigkeit staatsangehoerigkeit staatsburgerschaft \
         nationalite nacionalidad nacionalidade cittadinanza nazionalita nationaliteit immigrant",
    ),
    topic(
        "employer",
        "workclass employer employment company arbeitgeber employeur empleador empresa azienda werkgever empregador \
         worker industry",
    ),
    topic(
        "family",
        "relationship family children household haushalt kinder enfants hijos figli kinderen filhos dependents menage \
         hogar famiglia huishouden familia",
    ),
    topic(
        "language",
        "language sprache muttersprache langue idioma lingua lengua taal",
    ),
    topic(
        "hours of work",
        "hours workhours arbeitszeit arbeitsstunden wochenstunden stunden heures horas ore uren werkuren arbeidsduur",
    ),
    topic(
        "looks",
        "height weight grosse große groesse korpergrosse gewicht taille poids estatura peso altezza lengte altura eye \
         hair",
    ),
    topic(
        "dates",
        "date datum fecha admission discharge aufnahme entlassung ingreso ricovero opname",
    ),
];

pub(super) const BIRTH: usize = 0;
pub(super) const PLACE: usize = 2;
pub(super) const REGION: usize = 3;
pub(super) const ORIGIN: usize = 4;
pub(super) const MARITAL: usize = 5;
pub(super) const COUNTRY: usize = 8;
pub(super) const LOOKS: usize = 14;
pub(super) const DATES: usize = 15;

/// Words that suggest a column is about another person or time; others know less about that.
pub(super) const OF_OTHERS: &str = "father mother parent parents spouse partner previous prev last ago former vater \
     mutter pere mere padre madre vader moeder pai mae other detailed num";

/// Of a column that should not be linked to a person: what laws call special categories, and money.
pub(super) const SENSITIVE: [Topic; 7] = [
    topic(
        "health",
        "disease diseases diagnosis diagnoses icd condition illness symptom symptoms treatment therapy medication drug \
         drugs medicine hiv health disability disabled pregnancy pregnant smoker smoking alcohol cancer diabetes \
         depression surgery allergy \
         krankheit diagnose gesundheit behandlung therapie medikament medikamente behinderung schwangerschaft \
         schwanger beschwerden raucher krebs \
         maladie diagnostic sante traitement handicap grossesse medicament symptome fumeur \
         enfermedad diagnostico salud tratamiento discapacidad embarazo medicamento sintoma fumador \
         malattia diagnosi salute trattamento terapia disabilita gravidanza farmaco sintomo fumatore \
         ziekte gezondheid behandeling zwangerschap medicatie beperking aandoening roker \
         doenca saude tratamento deficiencia gravidez",
    ),
    topic(
        "income and wealth",
        "salary income incomes wage wages pay earnings debt credit loan balance gain gains loss losses profit dividend \
         dividends wealth assets pension benefits \
         einkommen gehalt lohn schulden vermogen vermoegen kredit rente verdienst \
         revenu revenus salaire dette patrimoine fortune \
         ingresos salario sueldo deuda patrimonio renta \
         reddito stipendio debito ricchezza \
         inkomen salaris loon schuld schulden uitkering \
         rendimento rendimentos ordenado divida",
    ),
    topic(
        "belief",
        "religion religious faith denomination church belief \
         konfession glaube kirche \
         culte croyance \
         creencia iglesia \
         religione fede \
         religie geloof godsdienst kerk geloofsovertuiging \
         religiao crenca",
    ),
    topic(
        "political opinion",
        "political politics party vote voted union \
         partei politisch gewerkschaft wahl \
         politique parti syndicat \
         politica partido sindicato voto \
         partito sindacato \
         politiek partij vakbond",
    ),
    topic(
        "sexuality",
        "sexual sexuality lgbt lgbtq \
         sexuell sexuelle sexualitat \
         sexualite sexualidad sexualidade \
         sessuale sessualita \
         seksuele seksualiteit geaardheid",
    ),
    topic(
        "crime",
        "crime crimes criminal offence offense conviction convictions convicted arrest arrests prison probation \
         recidivism \
         straftat straftaten vorstrafe vorstrafen verurteilung \
         condamnation delit infraction casier \
         delito delitos condena antecedentes prision \
         reato reati condanna penale \
         misdrijf veroordeling strafblad detentie \
         condenacao prisao",
    ),
    topic(
        "genes",
        "genotype genetic genetics genome dna genetisch genetique genetico genetica",
    ),
];

/// Of a survey weight and of nothing else.
pub(super) const WEIGHTS: &str = "wgt wgts fnlwgt finalwgt finlwgt fweight pweight aweight pwgt pwgtp wgtp perwt hhwt \
     wtfinl asecwt weighting reweight surveyweight sampleweight sampweight samplingweight \
     gewichtung gewichtungsfaktor hochrechnung hochrechnungsfaktor hochrechnungsgewicht \
     ponderation ponderations \
     ponderacion ponderador facexp \
     ponderazione \
     weging wegingsfactor weegfactor \
     ponderacao ponderador";

/// Of a survey weight or of a person's weight.
pub(super) const WEIGHTS_OR_KILOS: &str = "weight weights wt gewicht poids peso pesi gewichten";

/// Beside one of those, words that tell a survey weight.
pub(super) const OF_SURVEYS: &str = "survey sample sampling final design replicate calibrated calibration expansion \
     factor faktor person household population stichprobe hochrechnung erhebung enquete sondage echantillon encuesta \
     muestra muestral indagine campione campionario steekproef enquete inquerito amostra amostral";

/// Fewer letters than this are found in too many words.
pub(super) const SHORTEST_PART: usize = 7;

/// Whether a list has this word, or a part of it.
pub(super) fn has(list: &str, word: &str) -> bool {
    let plain = match word.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "" => word,
        plain => plain,
    };
    list.split_whitespace().any(|listed| {
        let is_part =
            listed.len() >= SHORTEST_PART && (plain.starts_with(listed) || plain.ends_with(listed));
        plain == listed || is_part
    })
}

/// The first of the words that a list has.
pub(super) fn found<'w>(list: &str, words: &'w [String]) -> Option<&'w String> {
    words.iter().find(|word| has(list, word))
}
