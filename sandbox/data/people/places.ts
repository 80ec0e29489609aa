/** A municipality, its main city, and the first three digits of zip codes there. */
interface Place {
	municipality: string;
	city: string;
	zipStart: string;
}

const place = (municipality: string, city: string, zipStart: string): Place => ({
	municipality,
	city,
	zipStart,
});

/** Two places of each state, by its ISO code: addresses made of them agree with themselves. */
export const PLACES: Record<string, [Place, Place]> = {
	AGU: [
		place('Aguascalientes', 'Aguascalientes', '200'),
		place('Jesús María', 'Jesús María', '209'),
	],
	BCN: [place('Mexicali', 'Mexicali', '211'), place('Tijuana', 'Tijuana', '220')],
	BCS: [place('La Paz', 'La Paz', '230'), place('Los Cabos', 'Cabo San Lucas', '234')],
	CAM: [
		place('Campeche', 'San Francisco de Campeche', '240'),
		place('Carmen', 'Ciudad del Carmen', '241'),
	],
	CHP: [
		place('Tuxtla Gutiérrez', 'Tuxtla Gutiérrez', '290'),
		place('Tapachula', 'Tapachula', '307'),
	],
	CHH: [place('Chihuahua', 'Chihuahua', '310'), place('Juárez', 'Ciudad Juárez', '320')],
	CMX: [
		place('Cuauhtémoc', 'Ciudad de México', '060'),
		place('Benito Juárez', 'Ciudad de México', '031'),
	],
	COA: [place('Saltillo', 'Saltillo', '250'), place('Torreón', 'Torreón', '270')],
	COL: [place('Colima', 'Colima', '280'), place('Manzanillo', 'Manzanillo', '282')],
	DUR: [
		place('Durango', 'Victoria de Durango', '340'),
		place('Gómez Palacio', 'Gómez Palacio', '350'),
	],
	GUA: [place('León', 'León de los Aldama', '370'), place('Irapuato', 'Irapuato', '365')],
	GRO: [
		place('Acapulco de Juárez', 'Acapulco', '393'),
		place('Chilpancingo de los Bravo', 'Chilpancingo', '390'),
	],
	HID: [
		place('Pachuca de Soto', 'Pachuca', '420'),
		place('Tulancingo de Bravo', 'Tulancingo', '436'),
	],
	JAL: [place('Guadalajara', 'Guadalajara', '441'), place('Zapopan', 'Zapopan', '451')],
	MEX: [
		place('Toluca', 'Toluca de Lerdo', '500'),
		place('Naucalpan de Juárez', 'Naucalpan', '530'),
	],
	MIC: [place('Morelia', 'Morelia', '580'), place('Uruapan', 'Uruapan', '600')],
	MOR: [place('Cuernavaca', 'Cuernavaca', '620'), place('Cuautla', 'Cuautla', '627')],
	NAY: [place('Tepic', 'Tepic', '630'), place('Bahía de Banderas', 'Bucerías', '637')],
	NLE: [
		place('Monterrey', 'Monterrey', '640'),
		place('San Pedro Garza García', 'San Pedro Garza García', '662'),
	],
	OAX: [
		place('Oaxaca de Juárez', 'Oaxaca de Juárez', '680'),
		place('Salina Cruz', 'Salina Cruz', '706'),
	],
	PUE: [place('Puebla', 'Puebla de Zaragoza', '720'), place('Tehuacán', 'Tehuacán', '757')],
	QUE: [
		place('Querétaro', 'Santiago de Querétaro', '760'),
		place('San Juan del Río', 'San Juan del Río', '768'),
	],
	ROO: [place('Benito Juárez', 'Cancún', '775'), place('Othón P. Blanco', 'Chetumal', '770')],
	SLP: [
		place('San Luis Potosí', 'San Luis Potosí', '780'),
		place('Ciudad Valles', 'Ciudad Valles', '790'),
	],
	SIN: [place('Culiacán', 'Culiacán Rosales', '800'), place('Mazatlán', 'Mazatlán', '820')],
	SON: [place('Hermosillo', 'Hermosillo', '830'), place('Cajeme', 'Ciudad Obregón', '850')],
	TAB: [place('Centro', 'Villahermosa', '860'), place('Cárdenas', 'Cárdenas', '865')],
	TAM: [place('Victoria', 'Ciudad Victoria', '870'), place('Tampico', 'Tampico', '890')],
	TLA: [place('Tlaxcala', 'Tlaxcala de Xicohténcatl', '900'), place('Apizaco', 'Apizaco', '903')],
	VER: [place('Xalapa', 'Xalapa-Enríquez', '910'), place('Veracruz', 'Veracruz', '917')],
	YUC: [place('Mérida', 'Mérida', '970'), place('Valladolid', 'Valladolid', '977')],
	ZAC: [place('Zacatecas', 'Zacatecas', '980'), place('Fresnillo', 'Fresnillo', '990')],
};
