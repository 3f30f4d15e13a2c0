//! Materials: preset underneath, keys on top, everything checked.

use super::check::{between, non_negative, poisson_ratio, positive};
use super::rigid::rigid_material;
use crate::error::{Problem, Resolved, fault};
use crate::file::{BendingName, BodyFile, KindName, LawName, MaterialFile, TextOr};
use crate::material::{
    BendingLaw, ClothMaterial, Damping, Drag, Material, MembraneLaw, MembraneStiffness, RodMaterial,
    RodSection, SolidLaw, SolidMaterial,
};
use crate::presets;
use crate::resolved::RigidBody;

/// The merged keys of a material and where it stands.
struct Values<'a> {
    path: &'a str,
    kind: &'static str,
    file: MaterialFile,
}

/// Resolves the material of a body; also returns the friction coefficient that it suggests. The density of a rigid body may
/// follow from its total mass, hence its shape.
pub(super) fn material(
    path: &str,
    body: &BodyFile,
    rigid: Option<&RigidBody>,
) -> Resolved<(Material, Option<f64>)> {
    let file = material_values(path, body)?;
    let friction = file.friction;
    let curved = body.rest.as_ref().and_then(|r| r.curved);
    let values = Values { path, kind: material_kind(body.kind), file };
    let material = match (body.kind, rigid) {
        (_, Some(rigid)) => rigid_material(path, body, &values.file, rigid)?,
        (KindName::Cloth, _) => Material::Cloth(values.cloth(curved.unwrap_or(false))?),
        (KindName::Rod, _) => Material::Rod(values.rod(curved.unwrap_or(true))?),
        (KindName::Solid, _) => Material::Solid(values.solid(LawName::StableNeoHookean)?),
        // A rigid body always has its shape; without one it would be as stiff as an affine body.
        (KindName::Skinned | KindName::Affine | KindName::Rigid, _) => {
            Material::Solid(values.solid(LawName::Corotated)?)
        }
    };
    Ok((material, friction))
}

/// The keys of a body's material, its own on top of those of its preset; none where a rigid body has no material.
fn material_values(path: &str, body: &BodyFile) -> Resolved<MaterialFile> {
    let given = match &body.material {
        Some(TextOr::Text(name)) => MaterialFile { preset: Some(name.clone()), ..MaterialFile::default() },
        Some(TextOr::Full(file)) => (**file).clone(),
        None if body.kind == KindName::Rigid => MaterialFile::default(),
        None => {
            let help = "give `material`: the name of a preset, or a table";
            let parent = path.trim_end_matches(".material");
            return fault(parent, Problem::MissingKey("material".into()), help);
        }
    };
    refuse_foreign_keys(path, own_kind(body.kind), &given)?;
    let Some(name) = given.preset.clone() else { return Ok(given) };
    let short = matches!(body.material, Some(TextOr::Text(_)));
    let at = if short { path.to_owned() } else { format!("{path}.preset") };
    Ok(merge(given, presets::find(&at, &name, material_kind(body.kind))?))
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
            membrane: self.membrane_law(&stretch)?,
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

    /// As given, or that of a plate of the bending modulus, or else of the modulus of stretching \[N m\].
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

    fn membrane_law(&self, stretch: &MembraneStiffness) -> Resolved<MembraneLaw> {
        let law = match self.file.law.unwrap_or(LawName::Stvk) {
            LawName::Stvk => MembraneLaw::Stvk,
            LawName::NeoHookean => MembraneLaw::NeoHookean,
            LawName::Arap => MembraneLaw::Arap,
            LawName::BaraffWitkin => MembraneLaw::BaraffWitkin,
            _ => return self.foreign_law("stvk, neo_hookean, arap, baraff_witkin"),
        };
        if matches!(stretch, MembraneStiffness::Orthotropic { .. })
            && !matches!(law, MembraneLaw::Stvk | MembraneLaw::BaraffWitkin)
        {
            return fault(
                self.at("law"),
                Problem::Conflict("warp and weft moduli need the law stvk or baraff_witkin".to_owned()),
                "change `law`, or give one `young` instead of `young_warp`, `young_weft` and `shear`",
            );
        }
        Ok(law)
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

    fn foreign_law<T>(&self, known: &str) -> Resolved<T> {
        fault(
            self.at("law"),
            Problem::Conflict(format!("this law is not one for a {}", self.kind)),
            format!("laws for a {}: {known}", self.kind),
        )
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

    fn solid(&self, default: LawName) -> Resolved<SolidMaterial> {
        let f = &self.file;
        let law = match f.law.unwrap_or(default) {
            LawName::Stvk => SolidLaw::Stvk,
            LawName::NeoHookean => SolidLaw::NeoHookean,
            LawName::StableNeoHookean => SolidLaw::StableNeoHookean,
            LawName::Corotated => SolidLaw::Corotated,
            LawName::FixedCorotated => SolidLaw::FixedCorotated,
            _ => {
                return self.foreign_law("stvk, neo_hookean, stable_neo_hookean, corotated, fixed_corotated");
            }
        };
        Ok(SolidMaterial {
            density: self.positive("density", f.density)?,
            young: self.positive("young", f.young)?,
            poisson: self.poisson()?,
            law,
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
