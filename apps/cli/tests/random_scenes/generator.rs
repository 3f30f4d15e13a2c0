//! Random small scenes: every kind of body and every method, with one or two numbers at extremes.
//!
//! A scene is written twice from the same seed: once to count its numbers, and once more with the
//! ones that were chosen replaced by an extreme value.

use stiction::numerics::Random;

/// A scene and what is known about it.
pub struct RandomScene {
    /// Scene file.
    pub text: String,
    /// Numbers that are at extremes, as `name = value`.
    pub extremes: Vec<String>,
    /// Distance from the origin that sane motion can reach \[m\]: places, sizes and speeds times time.
    pub reach: f64,
}

/// Frames of every scene.
pub const FRAMES: u32 = 4;
const FPS: f64 = 30.0;

const METHODS: [&str; 6] = ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"];

/// Factor that makes a usual number an extreme one.
fn extreme(random: &mut Random) -> f64 {
    const FACTORS: [f64; 8] = [0.0, -1.0, 1e-12, 1e-3, 1e3, 1e6, 1e12, 1e150];
    FACTORS[random.below(FACTORS.len())]
}

struct Writer {
    random: Random,
    /// Factors of the numbers at extremes, by their place.
    replaced: Vec<(usize, f64)>,
    numbers: usize,
    extremes: Vec<String>,
    reach: f64,
}

impl RandomScene {
    /// The scene of a seed.
    pub fn new(seed: u64) -> RandomScene {
        let mut plain = Writer::new(seed, Vec::new());
        plain.scene();
        let mut chooser = Random::new(seed ^ 0x5eed);
        let count = 1 + chooser.below(2);
        let replaced = (0..count).map(|_| {
            let place = chooser.below(plain.numbers);
            (place, extreme(&mut chooser))
        });
        let mut writer = Writer::new(seed, replaced.collect());
        let text = writer.scene();
        RandomScene { text, extremes: writer.extremes, reach: writer.reach }
    }
}

impl Writer {
    fn new(seed: u64, replaced: Vec<(usize, f64)>) -> Writer {
        let random = Random::new(seed);
        Writer { random, replaced, numbers: 0, extremes: Vec::new(), reach: 0.0 }
    }

    /// A number between two positive bounds, even on a logarithmic scale, or its extreme.
    fn number(&mut self, name: &str, low: f64, high: f64) -> f64 {
        let usual = low * (high / low).powf(self.random.uniform());
        let found = self.replaced.iter().find(|(place, _)| *place == self.numbers);
        self.numbers += 1;
        let Some(&(_, factor)) = found else { return usual };
        let value = usual * factor;
        self.extremes.push(format!("{name} = {value:e}"));
        value
    }

    /// A length that bodies may be moved by, counted in the reach.
    fn length(&mut self, name: &str, low: f64, high: f64) -> f64 {
        let value = self.number(name, low, high);
        self.reach += value.abs();
        value
    }

    /// A speed, counted by the way in the time of the run.
    fn speed(&mut self, name: &str, low: f64, high: f64) -> f64 {
        let value = self.number(name, low, high);
        self.reach += value.abs() * f64::from(FRAMES) / FPS;
        value
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.random.uniform() < probability
    }

    fn scene(&mut self) -> String {
        let method = METHODS[self.random.below(METHODS.len())];
        let step = self.number("step", 1e-3, 1.0 / FPS);
        let gravity = self.number("gravity", 1.0, 20.0);
        self.reach += gravity.abs();
        let mut text = format!(
            "stiction = 1\nname = \"random\"\nfps = {FPS}\nframes = {FRAMES}\nstep = {step:e}\n\
             gravity = {gravity:e}\nmethod = {{ key = \"{method}\" }}\n"
        );
        if self.chance(0.3) {
            let wind = self.speed("wind", 1.0, 20.0);
            text += &format!("wind = {{ velocity = [{wind:e}, 0, 0] }}\n");
        }
        let bodies = 1 + self.random.below(3);
        for body in 0..bodies {
            text += &self.body(method, body);
        }
        text += &self.colliders();
        text
    }

    fn body(&mut self, method: &str, index: usize) -> String {
        let kinds: &[fn(&mut Writer) -> String] = match method {
            "admm_integrator" => &[Writer::rod],
            "xpbd" => &[Writer::cloth],
            "pd" => &[Writer::cloth, Writer::rod, Writer::solid],
            _ => &[Writer::cloth, Writer::rod, Writer::solid, Writer::skinned, Writer::affine, Writer::cloth],
        };
        // Now and then a body that the method refuses.
        let kinds = if self.chance(0.03) { &[Writer::rigid as fn(&mut Writer) -> String][..] } else { kinds };
        let make = kinds[self.random.below(kinds.len())];
        let mut text = format!("[bodies.b{index}]\n{}", make(self));
        let height = self.length("height", 0.005, 0.3) + 0.1 * index as f64;
        let aside = self.length("aside", 0.01, 0.05);
        text += &format!("translate = [{aside:e}, 0, {height:e}]\n");
        if self.chance(0.4) {
            let speed = self.speed("velocity", 0.1, 10.0);
            text += &format!("velocity = [0, {speed:e}, {:e}]\n", -speed);
        }
        if self.chance(0.2) {
            let spin = self.speed("spin", 0.1, 10.0);
            text += &format!("spin = [{spin:e}, 0, 0]\n");
        }
        if self.chance(0.3) {
            let gap = self.length("gap", 1e-4, 2e-3);
            text += &format!("gap = {gap:e}\n");
        }
        if self.chance(0.3) {
            let friction = self.number("friction", 0.1, 1.0);
            text += &format!("friction = {friction:e}\n");
        }
        text
    }

    fn pins(&mut self, select: &str) -> String {
        if !self.chance(0.4) {
            return String::new();
        }
        let motion = if self.chance(0.5) {
            let speed = self.speed("pin velocity", 0.1, 5.0);
            format!(", motion = {{ velocity = [{speed:e}, 0, 0] }}")
        } else {
            String::new()
        };
        let spring = if self.chance(0.2) {
            let stiffness = self.number("pin stiffness", 1.0, 1e4);
            format!(", stiffness = {stiffness:e}")
        } else {
            String::new()
        };
        format!("pins = [{{ select = {select}{motion}{spring} }}]\n")
    }

    fn elastic(&mut self, low: f64, high: f64) -> String {
        let density = self.number("density", 50.0, 5000.0);
        let young = self.number("young", low, high);
        let poisson = self.number("poisson", 0.05, 0.45);
        let damping = if self.chance(0.3) { self.number("damping", 1e-4, 1e-2) } else { 0.0 };
        format!(
            "density = {density:e}, young = {young:e}, poisson = {poisson:e}, damping_stiffness = {damping:e}"
        )
    }

    fn cloth(&mut self) -> String {
        let size = self.length("size", 0.05, 0.5);
        let cells = 2 + self.random.below(4);
        let mesh = match self.random.below(3) {
            0 => format!("disc = {{ radius = {size:e}, rings = {cells} }}"),
            1 => format!("sphere = {{ radius = {size:e}, subdivisions = 1 }}"),
            _ => format!("grid = {{ size = [{size:e}, {size:e}], cells = [{cells}, {cells}] }}"),
        };
        let is_grid = mesh.starts_with("grid");
        let thickness = self.length("thickness", 2e-4, 2e-3);
        let elastic = self.elastic(1e4, 1e7);
        let limit = match self.chance(0.3) {
            true => format!(", strain_limit = {:e}", self.number("strain_limit", 0.02, 0.3)),
            false => String::new(),
        };
        let pins = if is_grid { self.pins("'left'") } else { String::new() };
        format!(
            "kind = \"cloth\"\nmesh = {{ {mesh} }}\n\
             material = {{ thickness = {thickness:e}, {elastic}{limit} }}\n{pins}"
        )
    }

    fn rod(&mut self) -> String {
        let size = self.length("size", 0.05, 0.5);
        let segments = 4 + self.random.below(12);
        let mesh = match self.chance(0.5) {
            true => {
                format!("rod = {{ start = [0, 0, 0], end = [{size:e}, 0, 0.01], segments = {segments} }}")
            }
            false => {
                format!(
                    "helix = {{ radius = {size:e}, pitch = {size:e}, turns = 1.5, segments = {segments} }}"
                )
            }
        };
        let radius = self.length("radius", 2e-4, 4e-3);
        let elastic = self.elastic(1e5, 1e9);
        let pins = self.pins("{ indices = [0, 1] }");
        format!(
            "kind = \"rod\"\nmesh = {{ {mesh} }}\nmaterial = {{ radius = {radius:e}, {elastic} }}\n{pins}"
        )
    }

    fn block(&mut self, kind: &str, mesh: &str) -> String {
        let size = self.length("size", 0.05, 0.3);
        let elastic = self.elastic(1e3, 1e7);
        format!(
            "kind = \"{kind}\"\nmesh = {{ {mesh} = {{ size = [{size:e}, {size:e}, {size:e}], cells = [2, 2, 2] }} }}\n\
             material = {{ {elastic} }}\n"
        )
    }

    fn solid(&mut self) -> String {
        let block = self.block("solid", "tet_box");
        block + &self.pins("'left'")
    }

    fn skinned(&mut self) -> String {
        self.block("skinned", "tet_box") + "frames = { count = 3 }\n"
    }

    fn affine(&mut self) -> String {
        self.block("affine", "box")
    }

    fn rigid(&mut self) -> String {
        "kind = \"rigid\"\nmesh = { box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }\nmass = 1.0\n"
            .to_owned()
    }

    fn colliders(&mut self) -> String {
        let mut text = String::new();
        if self.chance(0.7) {
            let friction = self.number("friction", 0.1, 1.0);
            text += &format!("[colliders.floor]\nplane = {{ offset = 0 }}\nfriction = {friction:e}\n");
        }
        if self.chance(0.4) {
            let radius = self.length("radius", 0.02, 0.1);
            let place = self.length("place", 0.05, 0.2);
            text += &format!(
                "[colliders.ball]\nsphere = {{ radius = {radius:e} }}\ntranslate = [{place:e}, 0, {:e}]\n",
                -place
            );
            if self.chance(0.5) {
                let speed = self.speed("collider velocity", 0.1, 5.0);
                text += &format!("motion = {{ velocity = [0, 0, {speed:e}] }}\n");
            }
        }
        text
    }
}
