const words = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Lists the 41 inconvenient words of the RFC (the tax authority's instructions, Annex IV): the fourth letter becomes
 * X.
 */
export const RFC_INCONVENIENT_WORDS = words(`
BUEI BUEY CACA CACO CAGA CAGO CAKA CAKO COGE COJA COJE COJI COJO CULO FETO GUEY JOTO KACA KACO KAGA KAGO KAKA KOGE
KOJO KULO MAME MAMO MEAR MEAS MEON MION MOCO MULA PEDA PEDO PENE PUTA PUTO QULO RATA RUIN`);

/** Adds 40 more words for the CURP (the civil registry's instructions): the second letter becomes X. */
export const CURP_INCONVENIENT_WORDS = [
	...RFC_INCONVENIENT_WORDS,
	...words(`
BACA BAKA COGI COLA FALO GETA GUEI JETA KAKO KOGI KOJA KOJE KOJI KOLA LILO LOCA LOCO LOKA LOKO MIAR MOKO MULO NACA
NACO PIPI PITO POPO ROBA ROBE ROBO SENO TETA VACA VAGA VAGO VAKA VUEI VUEY WUEI WUEY`),
];
