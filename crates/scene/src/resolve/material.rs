//! Materials: preset underneath, keys on top, everything checked.

use super::check::{between, non_negative, poisson_ratio, positive};
use super::rigid::rigid_material;
use crate::error::{Problem, Resolved, SceneError, fault};
use crate::file::{BendingName, BodyFile, KindName, MaterialFile, TextOr};
use crate::law::{self, Law, LawRow};
use crate::material::{
    BendingLaw, ClothMaterial, Damping, Drag, Material, MembraneStiffness, RigidMaterial, RodMaterial,
    RodSection, SolidMaterial,
};
use crate::presets;
use crate::resolved::{SceneRigidBody, WrittenMaterial};

/// C₀₁/(C₁₀ + C₀₁) where none is given: C₀₁ = C₁₀/4.
const MOONEY_FRACTION: f64 = 0.2;

/// The merged keys of a material and where it stands.
struct Values<'a> {
    path: &'a str,
    kind: &'static str,
    file: MaterialFile,
}

/// Resolves the material of a body; also returns the friction coefficient that it suggests. The
/// density of a rigid body may follow from its total mass, hence its shape.
pub(super) fn material(
    path: &str,
    body: &BodyFile,
    rigid: Option<&SceneRigidBody>,
) -> Resolved<(Material, WrittenMaterial, Option<f64>)> {
    let (keys, preset_path) = match &body.material {
        Some(TextOr::Text(name)) => {
            (MaterialFile { preset: Some(name.clone()), ..MaterialFile::default() }, path.to_owned())
        }
        Some(TextOr::Full(file)) => ((**file).clone(), format!("{path}.preset")),
        None if body.kind == KindName::Rigid => (MaterialFile::default(), path.to_owned()),
        None => {
            let help = "give `material`: the name of a preset, or a table";
            let parent = path.trim_end_matches(".material");
            return fault(parent, Problem::MissingKey("material".into()), help);
        }
    };
    let curved = body.rest.as_ref().and_then(|r| r.curved);
    let mut written = WrittenMaterial { kind: body.kind, keys, curved };
    if let Some(rigid) = rigid {
        let file = merged(path, &preset_path, &written)?;
        let material = rigid_material(path, body, &file, rigid)?;
        written.keys.density = Some(material.density());
        return Ok((material, written, file.friction));
    }
    let (material, friction) = from_written(path, &preset_path, &written)?;
    Ok((material, written, friction))
}

/// Resolves a material again, as after a change of one of its keys; `path` is used in messages.
pub fn resolve_material(path: &str, written: &WrittenMaterial) -> Result<Material, SceneError> {
    match from_written(path, &format!("{path}.preset"), written) {
        Ok((material, _)) => Ok(material),
        Err(fault) => Err(SceneError::new(path, "", None, *fault)),
    }
}

/// The keys of a material, its own on top of those of its preset.
fn merged(path: &str, preset_path: &str, written: &WrittenMaterial) -> Resolved<MaterialFile> {
    let given = written.keys.clone();
    refuse_foreign_keys(path, own_kind(written.kind), &given)?;
    match given.preset.clone() {
        Some(name) => Ok(merge(given, presets::find(preset_path, &name, material_kind(written.kind))?)),
        None => Ok(given),
    }
}

fn from_written(
    path: &str,
    preset_path: &str,
    written: &WrittenMaterial,
) -> Resolved<(Material, Option<f64>)> {
    let file = merged(path, preset_path, written)?;
    let friction = file.friction;
    let curved = written.curved;
    let values = Values { path, kind: material_kind(written.kind), file };
    let material = match written.kind {
        KindName::Cloth => Material::Cloth(values.cloth(curved.unwrap_or(false))?),
        KindName::Rod => Material::Rod(values.rod(curved.unwrap_or(true))?),
        KindName::Solid => Material::Solid(values.solid(Law::StableNeoHookean)?),
        KindName::Skinned | KindName::Affine => Material::Solid(values.solid(Law::Corotated)?),
        KindName::Rigid => {
            Material::Rigid(RigidMaterial { density: values.positive("density", values.file.density)? })
        }
    };
    Ok((material, friction))
}

/// Whose presets a kind of body takes: frames and rigid bodies are made of what solids are made of.
fn material_kind(kind: KindName) -> &'static str {
    match kind {
        KindName::Skinned | KindName::Affine | KindName::Rigid => "solid",
        other => kind_name(other),
    }
}

/// Whose keys a kind of body takes: a rigid body has a density and friction only.
fn own_kind(kind: KindName) -> &'static str {
    match kind {
        KindName::Rigid => kind_name(kind),
        other => material_kind(other),
    }
}

pub(super) fn kind_name(kind: KindName) -> &'static str {
    match kind {
        KindName::Cloth => "cloth",
        KindName::Rod => "rod",
        KindName::Solid => "solid",
        KindName::Skinned => "skinned",
        KindName::Affine => "affine",
        KindName::Rigid => "rigid body",
    }
}

/// Keys that mean something for one kind only.
fn refuse_foreign_keys(path: &str, kind: &str, f: &MaterialFile) -> Resolved<()> {
    let keys = [
        ("area_density", f.area_density.is_some(), "cloth"),
        ("thickness", f.thickness.is_some(), "cloth"),
        ("young", f.young.is_some(), "cloth rod solid"),
        ("poisson", f.poisson.is_some(), "cloth rod solid"),
        ("damping_mass", f.damping_mass.is_some(), "cloth rod solid"),
        ("damping_stiffness", f.damping_stiffness.is_some(), "cloth rod solid"),
        ("drag_normal", f.drag_normal.is_some(), "cloth rod solid"),
        ("drag_tangential", f.drag_tangential.is_some(), "cloth rod solid"),
        ("young_warp", f.young_warp.is_some(), "cloth"),
        ("young_weft", f.young_weft.is_some(), "cloth"),
        ("shear", f.shear.is_some(), "cloth rod"),
        ("young_bending", f.young_bending.is_some(), "cloth rod"),
        ("bending_stiffness", f.bending_stiffness.is_some(), "cloth"),
        ("law", f.law.is_some(), "cloth solid"),
        ("bending", f.bending.is_some(), "cloth"),
        ("radius", f.radius.is_some(), "rod"),
        ("ellipse", f.ellipse.is_some(), "rod"),
        ("rectangle", f.rectangle.is_some(), "rod"),
        ("damping_bending", f.damping_bending.is_some(), "cloth rod"),
        ("strain_limit", f.strain_limit.is_some(), "cloth"),
        ("mooney_fraction", f.mooney_fraction.is_some(), "solid"),
        ("volume_stiffness", f.volume_stiffness.is_some(), "solid"),
    ];
    match keys.iter().find(|(_, on, kinds)| *on && !kinds.contains(kind)) {
        Some((key, _, kinds)) => fault(
            format!("{path}.{key}"),
            Problem::Conflict(format!("`{key}` means nothing for a {kind}")),
            format!("it belongs to: {}; take it out", kinds.replace(' ', ", ")),
        ),
        None => Ok(()),
    }
}

/// Given keys win; a given key also removes the preset's alternatives to it.
fn merge(given: MaterialFile, mut preset: MaterialFile) -> MaterialFile {
    if given.density.is_some() || given.area_density.is_some() {
        (preset.density, preset.area_density) = (None, None);
    }
    if given.young.is_some() {
        (preset.young_warp, preset.young_weft) = (None, None);
        preset.shear = None;
    }
    if given.young_warp.is_some() {
        preset.young = None;
    }
    if given.young_bending.is_some() || given.bending_stiffness.is_some() {
        (preset.young_bending, preset.bending_stiffness) = (None, None);
    }
    if given.radius.is_some() || given.ellipse.is_some() || given.rectangle.is_some() {
        (preset.radius, preset.ellipse, preset.rectangle) = (None, None, None);
    }
    macro_rules! over {
        ($($key:ident),*) => { MaterialFile { preset: None, $($key: given.$key.or(preset.$key)),* } };
    }
    over!(
        density,
        area_density,
        thickness,
        young,
        poisson,
        young_warp,
        young_weft,
        shear,
        young_bending,
        bending_stiffness,
        law,
        bending,
        radius,
        ellipse,
        rectangle,
        damping_mass,
        damping_stiffness,
        damping_bending,
        strain_limit,
        mooney_fraction,
        volume_stiffness,
        drag_normal,
        drag_tangential,
        friction
    )
}

impl Values<'_> {
    fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    fn need(&self, key: &str, value: Option<f64>) -> Resolved<f64> {
        match value {
            Some(value) => Ok(value),
            None => fault(
                self.path,
                Problem::MissingKey(key.to_owned()),
                format!(
                    "give `{key}`, or a `preset` for {} ({})",
                    self.kind,
                    presets::names(self.kind).join(", ")
                ),
            ),
        }
    }

    fn positive(&self, key: &str, value: Option<f64>) -> Resolved<f64> {
        positive(&self.at(key), key, self.need(key, value)?)
    }

    fn or(&self, key: &str, value: Option<f64>, default: f64) -> Resolved<f64> {
        non_negative(&self.at(key), key, value.unwrap_or(default))
    }

    fn poisson(&self) -> Resolved<f64> {
        poisson_ratio(&self.at("poisson"), self.need("poisson", self.file.poisson)?)
    }

    fn damping(&self) -> Resolved<Damping> {
        let stiffness = self.or("damping_stiffness", self.file.damping_stiffness, 0.0)?;
        Ok(Damping {
            mass: self.or("damping_mass", self.file.damping_mass, 0.0)?,
            stiffness,
            bending: self.or("damping_bending", self.file.damping_bending, stiffness)?,
        })
    }

    fn drag(&self, normal: f64, tangential: f64) -> Resolved<Drag> {
        Ok(Drag {
            normal: self.or("drag_normal", self.file.drag_normal, normal)?,
            tangential: self.or("drag_tangential", self.file.drag_tangential, tangential)?,
        })
    }

    fn cloth(&self, rest_curved: bool) -> Resolved<ClothMaterial> {
        let f = &self.file;
        let thickness = self.positive("thickness", f.thickness)?;
        let density = match f.area_density {
            Some(_) => self.positive("area_density", f.area_density)? / thickness,
            None => self.positive("density", f.density)?,
        };
        let (stretch, poisson) = self.membrane()?;
        Ok(ClothMaterial {
            density,
            thickness,
            law: self.membrane_law(&stretch)?,
            bending_stiffness: self.bending_stiffness(thickness, &stretch, poisson)?,
            stretch,
            bending: match f.bending.unwrap_or(BendingName::Hinge) {
                BendingName::Hinge => BendingLaw::Hinge,
                BendingName::Quadratic => BendingLaw::Quadratic,
                BendingName::ShapeOperator => BendingLaw::ShapeOperator,
            },
            bending_poisson: poisson,
            rest_curved,
            damping: self.damping()?,
            strain_limit: match f.strain_limit {
                Some(limit) => Some(positive(&self.at("strain_limit"), "strain_limit", limit)?),
                None => None,
            },
            drag: self.drag(1.0, 0.01)?,
        })
    }

    /// As given, or that of a plate of the bending modulus, or else of the modulus of stretching
    /// \[N m\].
    fn bending_stiffness(&self, thickness: f64, stretch: &MembraneStiffness, poisson: f64) -> Resolved<f64> {
        let f = &self.file;
        if let Some(value) = f.bending_stiffness {
            return non_negative(&self.at("bending_stiffness"), "bending_stiffness", value);
        }
        let young = match (f.young_bending, stretch) {
            (Some(young), _) => non_negative(&self.at("young_bending"), "young_bending", young)?,
            (None, MembraneStiffness::Isotropic { young, .. }) => *young,
            (None, MembraneStiffness::Orthotropic { warp, weft, .. }) => (warp * weft).sqrt(),
        };
        Ok(plate_stiffness(young, thickness, poisson))
    }

    fn membrane_law(&self, stretch: &MembraneStiffness) -> Resolved<Law> {
        let law = self.law(Law::Stvk, |row| row.cloth)?;
        if matches!(stretch, MembraneStiffness::Orthotropic { .. }) && !law.row().woven {
            let woven = law::names(|row| row.cloth && row.woven);
            return fault(
                self.at("law"),
                Problem::Conflict(format!("warp and weft moduli need one of these laws: {woven}")),
                "change `law`, or give one `young` instead of `young_warp`, `young_weft` and `shear`",
            );
        }
        Ok(law)
    }

    /// The law given, or else the default, where the table has it for this kind of body.
    fn law(&self, default: Law, fits: impl Fn(&LawRow) -> bool) -> Resolved<Law> {
        let law = self.file.law.unwrap_or(default);
        if !fits(law.row()) {
            return fault(
                self.at("law"),
                Problem::Conflict(format!("`{}` is not a law for a {}", law.name(), self.kind)),
                format!("laws for a {}: {}", self.kind, law::names(fits)),
            );
        }
        Ok(law)
    }

    /// C₀₁/(C₁₀ + C₀₁).
    fn mooney_fraction(&self, law: Law) -> Resolved<f64> {
        const KEY: &str = "mooney_fraction";
        let Some(value) = self.file.mooney_fraction else { return Ok(MOONEY_FRACTION) };
        if !law.row().keys.contains(&KEY) {
            return fault(
                self.at(KEY),
                Problem::Conflict(format!("`{KEY}` does not act with `law = \"{}\"`", law.name())),
                format!("take it out, or choose: {}", law::names(|row| row.keys.contains(&KEY))),
            );
        }
        between(&self.at(KEY), KEY, value, 0.0, 1.0)
    }

    /// In-plane stiffness and the Poisson ratio for bending.
    fn membrane(&self) -> Resolved<(MembraneStiffness, f64)> {
        let f = &self.file;
        if f.young_warp.is_none() && f.young_weft.is_none() {
            let (young, poisson) = (self.positive("young", f.young)?, self.poisson()?);
            return Ok((MembraneStiffness::Isotropic { young, poisson }, poisson));
        }
        let warp = self.positive("young_warp", f.young_warp)?;
        let weft = self.positive("young_weft", f.young_weft)?;
        let shear = self.positive("shear", f.shear)?;
        let poisson = self.need("poisson", f.poisson)?;
        // Positive definite compliance: ν₁₂ ν₂₁ < 1 with ν₂₁ = ν₁₂ weft/warp.
        let limit = (warp / weft).sqrt();
        if poisson.abs() >= limit {
            let problem = Problem::OutOfRange {
                what: "the Poisson ratio".into(),
                value: poisson,
                requirement: format!("its size must be below √(warp/weft) = {limit:.4}"),
            };
            return fault(self.at("poisson"), problem, "make it smaller");
        }
        // Bending is isotropic: the ratio that enters it is kept in its own range.
        let bending = (poisson * (weft / warp).sqrt()).clamp(-0.99, 0.49);
        Ok((MembraneStiffness::Orthotropic { warp, weft, shear, poisson }, bending))
    }

    fn rod(&self, rest_curved: bool) -> Resolved<RodMaterial> {
        let f = &self.file;
        let young_stretch = self.positive("young", f.young)?;
        let young_bend = self.positive("young_bending", f.young_bending.or(f.young))?;
        let shear = match f.shear {
            Some(_) => self.positive("shear", f.shear)?,
            None => young_bend / (2.0 * (1.0 + self.poisson()?)),
        };
        let section = match (f.radius, f.ellipse, f.rectangle) {
            (Some(_), None, None) => RodSection::Circle { radius: self.positive("radius", f.radius)? },
            (None, Some([a, b]), None) => RodSection::Ellipse {
                radius_1: self.positive("ellipse", Some(a))?,
                radius_2: self.positive("ellipse", Some(b))?,
            },
            (None, None, Some([a, b])) => RodSection::Rectangle {
                width_1: self.positive("rectangle", Some(a))?,
                width_2: self.positive("rectangle", Some(b))?,
            },
            (None, None, None) => RodSection::Circle { radius: self.positive("radius", None)? },
            _ => {
                let problem = Problem::Conflict("a rod has one section, but several are given".to_owned());
                return fault(self.path, problem, "keep one of `radius`, `ellipse`, `rectangle`");
            }
        };
        Ok(RodMaterial {
            density: self.positive("density", f.density)?,
            young_stretch,
            young_bend,
            shear,
            section,
            rest_curved,
            damping: self.damping()?,
            drag: self.drag(1.0, 0.01)?,
        })
    }

    fn solid(&self, default: Law) -> Resolved<SolidMaterial> {
        let f = &self.file;
        let law = self.law(default, |row| row.solid)?;
        Ok(SolidMaterial {
            density: self.positive("density", f.density)?,
            young: self.positive("young", f.young)?,
            poisson: self.poisson()?,
            law,
            mooney_fraction: self.mooney_fraction(law)?,
            damping: self.damping()?,
            volume_stiffness: self.or("volume_stiffness", f.volume_stiffness, 0.0)?,
            drag: self.drag(0.0, 0.0)?,
        })
    }
}

/// D = E h³ / (12 (1 − ν²)) [N m].
fn plate_stiffness(young: f64, thickness: f64, poisson: f64) -> f64 {
    young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson))
}

/// Friction coefficient of a body or collider.
pub(super) fn friction(path: &str, value: f64) -> Resolved<f64> {
    between(path, "friction", value, 0.0, 1e6)
}
